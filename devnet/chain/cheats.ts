import type { Engine } from '../engine/engine.ts'
import { fromHex, type Hex } from '../primitives/hex.ts'
import { increased, isEmptyAccount } from '../state/accounts.ts'
import { addressKeyFromHex, slotKeyFromHex } from '../state/keys.ts'
import { Overlay } from '../state/overlay/overlay.ts'
import type { StateDiff, StateReader } from '../state/types.ts'

/**
 * A change of one account by command. It is data, so that a state file can hold it, and a drop can
 * apply it again to another state.
 */
export type Cheat =
  /** Sets the balance, in wei. */
  | { readonly kind: 'setBalance'; readonly address: Hex; readonly balance: bigint }
  /** Adds wei to the balance, up to {@link MAX_BALANCE}. */
  | { readonly kind: 'addBalance'; readonly address: Hex; readonly amount: bigint }
  | { readonly kind: 'setNonce'; readonly address: Hex; readonly nonce: bigint }
  /** Sets the code; empty code removes it. */
  | { readonly kind: 'setCode'; readonly address: Hex; readonly code: Hex }
  /**
   * Writes one storage slot, of 32 bytes, to a value of 32 bytes. A non-zero value creates the
   * account if there is none.
   */
  | { readonly kind: 'setStorage'; readonly address: Hex; readonly slot: Hex; readonly value: Hex }

/** The change that `cheat` makes to `state`. */
export function cheatDiff(cheat: Cheat, state: StateReader, codes: Engine['codes']): StateDiff {
  const key = addressKeyFromHex(cheat.address)
  const before = state.account(key)
  const overlay = new Overlay(state, codes)
  switch (cheat.kind) {
    case 'setBalance':
      overlay.setBalance(key, cheat.balance)
      break
    case 'addBalance':
      overlay.setBalance(key, increased(before?.balance ?? 0n, cheat.amount))
      break
    case 'setNonce':
      overlay.setNonce(key, cheat.nonce)
      break
    case 'setCode':
      overlay.setCode(key, fromHex(cheat.code))
      break
    case 'setStorage':
      overlay.setSlot(key, slotKeyFromHex(cheat.slot), fromHex(cheat.value))
      return overlay.takeDiff()
    default:
      cheat satisfies never // Names the kind that has no case.
  }
  const after = overlay.account(key)
  if (after === null || !isEmptyAccount(after) || [...state.slots(key)].length > 0) {
    return overlay.takeDiff()
  }
  // The state holds no empty accounts (EIP-161).
  return { accounts: new Map(before === null ? [] : [[key, null]]), storage: new Map() }
}
