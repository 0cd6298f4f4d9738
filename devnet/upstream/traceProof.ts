import { sameBytes } from '../primitives/bytes.ts'
import {
  type PrefetchedReads,
  pairsOf,
  type RemoteAccount,
  type RemoteKeys,
  type RemoteValues,
} from '../state/remote/remoteSource.ts'
import type { Capabilities } from './capabilities.ts'

type Value = RemoteAccount | null | Uint8Array

/** Single answers that are remembered at most. */
const MOST_ANSWERS = 1000

/**
 * Holds the values that traces tell against single answers. They are believed once some have proved
 * equal, and never again once one has not.
 */
export class TraceProof {
  readonly #capabilities: Capabilities
  readonly #onWrong: () => void
  /** By account, or by account and slot, as long as nothing is proved. */
  readonly #answers = new Map<string, Value>()

  /** @param onWrong - hears once that traces tell other values */
  constructor(capabilities: Capabilities, onWrong: () => void) {
    this.#capabilities = capabilities
    this.#onWrong = onWrong
  }

  /** Takes a single answer. */
  remember(key: string, value: Value): void {
    if (this.#capabilities.trace !== undefined || this.#answers.size >= MOST_ANSWERS) return
    this.#answers.set(key, value)
  }

  /**
   * The finds of a prefetch, without its values if they are not believed.
   *
   * @param keys - what was asked for beside the prefetch
   * @param values - its values
   */
  judged(found: PrefetchedReads, keys: RemoteKeys, values: RemoteValues): PrefetchedReads {
    if (found.values === undefined) return found
    const capabilities = this.#capabilities
    const told = entriesOf(found.keys, found.values)
    const answers = new Map([...this.#answers, ...entriesOf(keys, values)])
    const isWrong = told.some(([key, value]) => !isSame(value, answers.get(key) ?? value))
    // That nothing is found both ways proves nothing.
    const isProof = told.some(([key, value]) => answers.has(key) && !isBlank(value))
    if (isWrong && capabilities.trace !== false) this.#onWrong()
    if (isWrong) capabilities.trace = false
    else if (isProof) capabilities.trace ??= true
    if (capabilities.trace !== undefined) this.#answers.clear()
    return capabilities.trace === true ? found : { keys: found.keys, values: undefined }
  }
}

function entriesOf({ accounts, slots }: RemoteKeys, values: RemoteValues): [string, Value][] {
  const slotKeys = slots.map(([account, slot]) => account + slot)
  return [...pairsOf(accounts, values.accounts), ...pairsOf(slotKeys, values.slots)]
}

function isSame(one: Value, other: Value): boolean {
  if (one === null || other === null) return one === other
  if (one instanceof Uint8Array) return other instanceof Uint8Array && sameBytes(one, other)
  if (other instanceof Uint8Array) return false
  const isEqual = one.nonce === other.nonce && one.balance === other.balance
  return isEqual && sameBytes(one.code, other.code)
}

function isBlank(value: Value): boolean {
  return value === null || (value instanceof Uint8Array && value.length === 0)
}
