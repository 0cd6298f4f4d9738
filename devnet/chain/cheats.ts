import type { Engine } from '../engine/engine.ts'
import { withoutLeadingZeros } from '../primitives/bytes.ts'
import { fromHex, type Hex } from '../primitives/hex.ts'
import { EMPTY_ACCOUNT, increased, isEmptyAccount } from '../state/accounts.ts'
import { addressKeyFromHex, slotKeyFromHex } from '../state/keys.ts'
import type { AccountRecord, StateDiff, StateReader } from '../state/types.ts'

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
  const { address } = cheat
  switch (cheat.kind) {
    case 'setBalance':
      return changeAccount(state, address, () => ({ balance: cheat.balance }))
    case 'addBalance':
      return changeAccount(state, address, ({ balance }) => ({
        balance: increased(balance, cheat.amount),
      }))
    case 'setNonce':
      return changeAccount(state, address, () => ({ nonce: cheat.nonce }))
    case 'setCode':
      return changeAccount(state, address, () => ({ codeHash: codes.add(fromHex(cheat.code)) }))
    case 'setStorage':
      return changeSlot(state, address, cheat.slot, cheat.value)
  }
  cheat satisfies never // Names the kind that has no case.
}

function changeSlot(state: StateReader, address: Hex, slot: Hex, value: Hex): StateDiff {
  const key = addressKeyFromHex(address)
  const bytes = withoutLeadingZeros(fromHex(value))
  const accounts: StateDiff['accounts'] = new Map()
  if (state.account(key) === null) {
    if (bytes.length === 0) return { accounts, storage: new Map() }
    accounts.set(key, EMPTY_ACCOUNT)
  }
  const slots = new Map([[slotKeyFromHex(slot), bytes]])
  return { accounts, storage: new Map([[key, { cleared: false, slots }]]) }
}

function changeAccount(
  state: StateReader,
  address: Hex,
  change: (before: AccountRecord) => Partial<AccountRecord>,
): StateDiff {
  const key = addressKeyFromHex(address)
  const before = state.account(key)
  const after = { ...(before ?? EMPTY_ACCOUNT), ...change(before ?? EMPTY_ACCOUNT) }
  const accounts: StateDiff['accounts'] = new Map()
  if (!isEmptyAccount(after) || [...state.slots(key)].length > 0) accounts.set(key, after)
  // The state holds no empty accounts (EIP-161).
  else if (before !== null) accounts.set(key, null)
  return { accounts, storage: new Map() }
}
