import { sameBytes } from '../primitives/bytes.ts'
import { getOrCreate } from '../primitives/memo.ts'
import type { AddressKey, SlotKey, StateReader } from '../state/types.ts'

/** The accesses of one step of a block to one account (EIP-7928). */
export interface AccountAccesses {
  readonly key: AddressKey
  /** Balance after the step, in wei; `undefined` if the step leaves it as it was. */
  readonly balance: bigint | undefined
  /** Nonce after the step; `undefined` if the step leaves it as it was. */
  readonly nonce: bigint | undefined
  /** Code after the step; `undefined` if the step leaves it as it was. */
  readonly code: Uint8Array | undefined
  /** Slots that the step changed, with their values after it, without leading zeros. */
  readonly writes: readonly (readonly [SlotKey, Uint8Array])[]
  /** Slots that it read, or wrote as they were. */
  readonly reads: readonly SlotKey[]
}

/**
 * The accesses of one step of a block: its opening system calls, a transaction, or what follows the
 * transactions. Each account is there at most once.
 */
export type StepAccesses = readonly AccountAccesses[]

/** The state at one end of a step. */
type Values = Pick<StateReader, 'account' | 'slot'>

/**
 * The accesses of a step that runs no transaction, by the state before it and after it.
 *
 * @param touched - the accounts that it has accessed, each once, with their slots
 */
export function accessesBetween(
  before: Values,
  after: Values,
  touched: Iterable<readonly [AddressKey, Iterable<SlotKey>]>,
): StepAccesses {
  return Array.from(touched, ([key, slots]) => {
    const [was, is] = [before.account(key), after.account(key)]
    const [balance, nonce] = [is?.balance ?? 0n, is?.nonce ?? 0n]
    const writes: [SlotKey, Uint8Array][] = []
    const reads: SlotKey[] = []
    for (const slot of slots) {
      const value = after.slot(key, slot)
      if (sameBytes(before.slot(key, slot), value)) reads.push(slot)
      else writes.push([slot, value])
    }
    return {
      key,
      balance: balance === (was?.balance ?? 0n) ? undefined : balance,
      nonce: nonce === (was?.nonce ?? 0n) ? undefined : nonce,
      // System calls and withdrawals set no code.
      code: undefined,
      writes,
      reads,
    }
  })
}

/** The accounts and slots that several calls have touched. */
export class Touched implements Iterable<readonly [AddressKey, Iterable<SlotKey>]> {
  readonly #slots = new Map<AddressKey, Set<SlotKey>>()

  /** @param accounts - touched already. Default: none */
  constructor(accounts: readonly AddressKey[] = []) {
    for (const key of accounts) this.addAccount(key)
  }

  /** @param step - accesses of a call */
  add(step: StepAccesses): void {
    for (const { key, writes, reads } of step) {
      this.addAccount(key, reads)
      this.addAccount(
        key,
        writes.map(([slot]) => slot),
      )
    }
  }

  addAccount(key: AddressKey, slots: Iterable<SlotKey> = []): void {
    const known = getOrCreate(this.#slots, key, () => new Set<SlotKey>())
    for (const slot of slots) known.add(slot)
  }

  [Symbol.iterator](): Iterator<readonly [AddressKey, Iterable<SlotKey>]> {
    return this.#slots.entries()
  }
}
