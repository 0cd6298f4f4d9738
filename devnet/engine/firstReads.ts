import type { TransactionFields } from '../protocol/transaction.ts'
import { addressKey, slotKey } from '../state/keys.ts'
import type { RemoteKeys } from '../state/remote/remoteSource.ts'
import type { AddressKey, SlotKey } from '../state/types.ts'

/** Reads of a transaction before its code runs, without delegations. */
export function firstReads(
  { from, to, accessList }: Pick<TransactionFields, 'from' | 'to' | 'accessList'>,
  coinbase: Uint8Array,
): RemoteKeys {
  const accounts = [addressKey(from), addressKey(coinbase)]
  if (to !== undefined) accounts.push(addressKey(to))
  const slots: [AddressKey, SlotKey][] = []
  for (const [address, keys] of accessList) {
    const account = addressKey(address)
    accounts.push(account)
    for (const key of keys) slots.push([account, slotKey(key)])
  }
  return { accounts, slots }
}
