import type { Engine } from '../engine/engine.ts'
import { withoutLeadingZeros } from '../primitives/bytes.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import { fromHex, type Hex } from '../primitives/hex.ts'
import { EMPTY_ACCOUNT, isEmptyAccount } from '../state/accounts.ts'
import { addressKeyFromHex, slotKeyFromHex } from '../state/keys.ts'
import type { AccountRecord, StateDiff, StateReader } from '../state/types.ts'

/** Computes a change of the newest sealed state, for `WriteJob.cheat`. */
type Cheat = (state: StateReader) => StateDiff

/** Sets the account's balance, in wei. */
export function setBalance(address: Hex, balance: bigint): Cheat {
  return changeAccount(address, () => ({ balance }))
}

/** Adds wei to the account's balance. @throws {InvalidParamsError} if it would reach 2^256 */
export function addBalance(address: Hex, amount: bigint): Cheat {
  return changeAccount(address, ({ balance }) => {
    if (balance + amount >= 2n ** 256n) {
      throw new InvalidParamsError(
        `${address} has ${balance} wei, and cannot have ${amount} more: a balance is less than 2^256`,
      )
    }
    return { balance: balance + amount }
  })
}

export function setNonce(address: Hex, nonce: bigint): Cheat {
  return changeAccount(address, () => ({ nonce }))
}

/** Sets the account's code; empty code removes it. */
export function setCode(address: Hex, code: Uint8Array, codes: Engine['codes']): Cheat {
  return changeAccount(address, () => ({ codeHash: codes.add(code) }))
}

/**
 * Writes one storage slot. A non-zero value creates the account if there is none.
 *
 * @param slot - 32 bytes
 * @param value - 32 bytes
 */
export function setStorage(address: Hex, slot: Hex, value: Hex): Cheat {
  return (state) => {
    const key = addressKeyFromHex(address)
    const bytes = withoutLeadingZeros(fromHex(value))
    const record = state.account(key)
    const accounts: StateDiff['accounts'] = new Map()
    if (record === null) {
      if (bytes.length === 0) return { accounts, storage: new Map() }
      accounts.set(key, EMPTY_ACCOUNT)
    }
    const slots = new Map([[slotKeyFromHex(slot), bytes]])
    return { accounts, storage: new Map([[key, { cleared: false, slots }]]) }
  }
}

function changeAccount(
  address: Hex,
  change: (before: AccountRecord) => Partial<AccountRecord>,
): Cheat {
  return (state) => {
    const key = addressKeyFromHex(address)
    const before = state.account(key)
    const after = { ...(before ?? EMPTY_ACCOUNT), ...change(before ?? EMPTY_ACCOUNT) }
    const accounts: StateDiff['accounts'] = new Map()
    if (!isEmptyAccount(after) || state.hasStorage(key)) accounts.set(key, after)
    // The state holds no empty accounts (EIP-161).
    else if (before !== null) accounts.set(key, null)
    return { accounts, storage: new Map() }
  }
}
