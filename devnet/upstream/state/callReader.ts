import { EMPTY_BYTES, sameBytes } from '../../primitives/bytes.ts'
import type { RemoteSlot, UpstreamError } from '../../state/remote/remoteSource.ts'
import type { AddressKey } from '../../state/types.ts'
import type { Capabilities } from '../client/capabilities.ts'
import { isReadable, MOST_VALUES, type ReadCall, readCall } from './readCall.ts'

/** Values for which one call takes the place of as many requests. */
const FEWEST_VALUES = 8

/** Values of a kind that are read both ways until a call is proved. */
const SAMPLE = 4

/** Values without leading zeros. */
type Values<Key> = ReadonlyMap<Key, Uint8Array>

/** Values that one call has read, as far as they are sure. */
export interface ReadValues {
  readonly slots: Values<RemoteSlot>
  /** In wei. */
  readonly balances: Values<AddressKey>
}

interface Questions {
  /** The values of a call; `undefined` if there is no answer, which is not reported. */
  call(call: ReadCall): Promise<Uint8Array[] | undefined>
  /** The values in single answers, or their errors. */
  readonly slot: (key: RemoteSlot) => Promise<Uint8Array | UpstreamError>
  readonly balance: (key: AddressKey) => Promise<Uint8Array | UpstreamError>
}

/**
 * Reads many values by one call, if it can be shown that its answers are right: until a call has
 * proved right, some of each kind are asked for singly as well. A proof needs one that is not zero.
 */
export class CallReader {
  readonly #capabilities: Capabilities
  readonly #questions: Questions

  constructor(capabilities: Capabilities, questions: Questions) {
    this.#capabilities = capabilities
    this.#questions = questions
  }

  /** @returns `undefined` if there are too few values, or no such calls */
  read(
    allSlots: readonly RemoteSlot[],
    allBalances: readonly AddressKey[],
  ): Promise<ReadValues> | undefined {
    const { overrides, callBalances } = this.#capabilities
    if (overrides === false) return undefined
    const slots = allSlots.filter(([account]) => isReadable(account)).slice(0, MOST_VALUES)
    const contracts = new Set(slots.map(([account]) => account))
    const balances =
      callBalances === false
        ? []
        : allBalances
            .filter(isReadable)
            // Accounts that are no contracts come first: they are more likely to have a balance.
            .toSorted((a, b) => Number(contracts.has(a)) - Number(contracts.has(b)))
            .slice(0, MOST_VALUES - slots.length)
    return slots.length + balances.length < FEWEST_VALUES ? undefined : this.#read(slots, balances)
  }

  async #read(slots: readonly RemoteSlot[], balances: readonly AddressKey[]): Promise<ReadValues> {
    const asked = this.#questions.call(readCall(slots, balances))
    const said = async <Key>(keys: readonly Key[], start: number) => {
      const values = await asked
      const valueAt = (index: number) => values?.[start + index] ?? EMPTY_BYTES
      return values && new Map(keys.map((key, index) => [key, valueAt(index)]))
    }
    const { slot, balance } = this.#questions
    const [sureSlots, sureBalances] = await Promise.all([
      this.#sure('overrides', { keys: slots, said: said(slots, 0), ask: slot }),
      this.#sure('callBalances', {
        keys: balances,
        said: said(balances, slots.length),
        ask: balance,
      }),
    ])
    return { slots: sureSlots, balances: sureBalances }
  }

  /** The sure ones among the values of one kind that a call has answered. */
  async #sure<Key>(
    capability: 'overrides' | 'callBalances',
    { keys, said: asked, ask }: Kind<Key>,
  ): Promise<Values<Key>> {
    if (this.#capabilities[capability] === true) return (await asked) ?? new Map()
    const single = new Map<Key, Uint8Array>()
    const askSingly = async (key: Key) => {
      const value = await ask(key)
      if (value instanceof Uint8Array) single.set(key, value)
    }
    const sample = Promise.all(keys.slice(0, SAMPLE).map(askSingly))
    const said = await asked
    await sample
    if (said === undefined) return single
    let verdict = compared(said, single)
    const witness = keys.find((key) => !single.has(key) && said.get(key)?.length !== 0)
    if (verdict === undefined && witness !== undefined) {
      await askSingly(witness)
      verdict = compared(said, single)
    }
    if (verdict !== undefined) this.#capabilities[capability] = verdict
    return verdict === true ? said : single
  }
}

/** Values of one kind, what a call has said of them, and how to ask for one. */
interface Kind<Key> {
  readonly keys: readonly Key[]
  readonly said: Promise<Values<Key> | undefined>
  readonly ask: (key: Key) => Promise<Uint8Array | UpstreamError>
}

/** True if values are right; `undefined` if those that are sure are zero, which proves nothing. */
function compared<Key>(said: Values<Key>, single: Values<Key>): boolean | undefined {
  for (const [key, value] of single) {
    if (!sameBytes(said.get(key) ?? EMPTY_BYTES, value)) return false
  }
  return [...single.values()].some((value) => value.length > 0) ? true : undefined
}
