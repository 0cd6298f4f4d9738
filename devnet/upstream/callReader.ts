import { EMPTY_BYTES, sameBytes } from '../primitives/bytes.ts'
import type { RemoteSlot, UpstreamError } from '../state/remote/remoteSource.ts'
import type { AddressKey } from '../state/types.ts'
import type { Capabilities } from './capabilities.ts'
import { isReadable, MOST_VALUES, type ReadCall, readCall } from './readCall.ts'

/** Values for which one call takes the place of as many requests. */
const FEWEST_VALUES = 8

/** Values of a kind that are read both ways until a call is proved. */
const SAMPLE = 4

/** Values without leading zeros. */
type Values<Key> = ReadonlyMap<Key, Uint8Array>

/** What one call has read, as far as it is sure. */
export interface ReadValues {
  readonly slots: Values<RemoteSlot>
  /** In wei. */
  readonly balances: Values<AddressKey>
}

/** How a {@link CallReader} asks. */
interface Questions {
  /** The values of a call; `undefined` if there is no answer, which is told to nobody. */
  call(call: ReadCall): Promise<Uint8Array[] | undefined>
  /** The values in single answers, or their errors. */
  slot(key: RemoteSlot): Promise<Uint8Array | UpstreamError>
  balance(key: AddressKey): Promise<Uint8Array | UpstreamError>
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
            // Those that are no contracts make the sample: contracts mostly have no funds.
            .toSorted((a, b) => Number(contracts.has(a)) - Number(contracts.has(b)))
            .slice(0, MOST_VALUES - slots.length)
    return slots.length + balances.length < FEWEST_VALUES ? undefined : this.#read(slots, balances)
  }

  async #read(slots: readonly RemoteSlot[], balances: readonly AddressKey[]): Promise<ReadValues> {
    const capabilities = this.#capabilities
    const asked = this.#questions.call(readCall(slots, balances))
    const said = async <Key>(keys: readonly Key[], start: number) => {
      const values = await asked
      return (
        values && new Map(keys.map((key, index) => [key, values[start + index] ?? EMPTY_BYTES]))
      )
    }
    const [sureSlots, sureBalances] = await Promise.all([
      sure({
        keys: slots,
        said: said(slots, 0),
        isProved: capabilities.overrides === true,
        ask: (key) => this.#questions.slot(key),
        judge(verdict) {
          capabilities.overrides = verdict
        },
      }),
      sure({
        keys: balances,
        said: said(balances, slots.length),
        isProved: capabilities.callBalances === true,
        ask: (key) => this.#questions.balance(key),
        judge(verdict) {
          capabilities.callBalances = verdict
        },
      }),
    ])
    return { slots: sureSlots, balances: sureBalances }
  }
}

/** What is sure of the values of one kind that a call has said. */
async function sure<Key>({
  keys,
  said: asked,
  isProved,
  ask,
  judge,
}: {
  readonly keys: readonly Key[]
  readonly said: Promise<Values<Key> | undefined>
  readonly isProved: boolean
  readonly ask: (key: Key) => Promise<Uint8Array | UpstreamError>
  /** Hears whether the call is right. */
  readonly judge: (verdict: boolean) => void
}): Promise<Values<Key>> {
  if (isProved) return (await asked) ?? new Map()
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
  if (verdict !== undefined) judge(verdict)
  return verdict === true ? said : single
}

/** Whether values are right; `undefined` if those that are sure are zero, which proves nothing. */
function compared<Key>(said: Values<Key>, single: Values<Key>): boolean | undefined {
  for (const [key, value] of single) {
    if (!sameBytes(said.get(key) ?? EMPTY_BYTES, value)) return false
  }
  return [...single.values()].some((value) => value.length > 0) ? true : undefined
}
