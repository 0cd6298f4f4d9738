import type { DaoFork } from '../engine/forkSchedule.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { AccountRecord, StateDiff, StateReader } from '../state/types.ts'
import { DAO_ACCOUNTS, DAO_REFUND } from './daoAccounts.ts'

/** `dao-hard-fork`, which the first blocks of the fork bear (EIP-779). */
export const DAO_EXTRA_DATA: Uint8Array = new TextEncoder().encode('dao-hard-fork')

/** Blocks that bear it. */
const EXTRA_DATA_BLOCKS = 10n

/** Whether the block is one of those that say on which side of the fork they are. */
export function isDaoMarked(number: bigint, dao: DaoFork | undefined): dao is DaoFork {
  return dao !== undefined && number >= dao.block && number < dao.block + EXTRA_DATA_BLOCKS
}

/** What the block has to bear; `undefined` where it may bear anything. */
export function daoExtraData(number: bigint, dao: DaoFork | undefined): Uint8Array | undefined {
  return isDaoMarked(number, dao) && dao.support ? DAO_EXTRA_DATA : undefined
}

/**
 * Moves the ether of the DAO and its children to the contract that refunds it.
 *
 * @returns `undefined` where the block with this number moves nothing
 */
export function daoRefund(
  number: bigint,
  dao: DaoFork | undefined,
  state: StateReader,
): StateDiff | undefined {
  if (dao?.block !== number || !dao.support) return undefined
  const accounts: StateDiff['accounts'] = new Map()
  let refund = state.account(addressKeyFromHex(DAO_REFUND)) ?? NO_ACCOUNT
  for (const address of DAO_ACCOUNTS) {
    const key = addressKeyFromHex(address)
    // Also where there was none: empty accounts are in the state at that time.
    const account = state.account(key) ?? NO_ACCOUNT
    refund = { ...refund, balance: refund.balance + account.balance }
    accounts.set(key, { ...account, balance: 0n })
  }
  accounts.set(addressKeyFromHex(DAO_REFUND), refund)
  return { accounts, storage: new Map() }
}

const NO_ACCOUNT: AccountRecord = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }
