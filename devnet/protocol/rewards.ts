import { EMPTY_ACCOUNT } from '../state/accounts.ts'
import { addressKey, addressKeyFromHex } from '../state/keys.ts'
import type { AccountRecord, AddressKey, StateDiff, StateReader } from '../state/types.ts'
import type { BlockEnvironment } from './environment.ts'
import type { BlockHeader } from './header.ts'
import { GWEI, type Withdrawal } from './withdrawals.ts'

/** Ether that a block gives without a transaction. */
export type Credit = readonly [account: AddressKey, wei: bigint]

/** An uncle's number counts down from that of its block; at this distance it would earn nothing. */
const UNCLE_REACH = 8n

/** Part of the reward that a block earns for each of its uncles. */
const NEPHEW_SHARE = 32n

/** What a block and its uncles earn before Paris (yellow paper 11.3). */
export function blockRewards(
  { number, coinbase, rules }: Pick<BlockEnvironment, 'number' | 'coinbase' | 'rules'>,
  uncles: readonly { readonly header: Pick<BlockHeader, 'number' | 'coinbase'> }[],
): Credit[] {
  const { blockReward } = rules
  if (blockReward === 0n) return []
  const forUncles = (blockReward / NEPHEW_SHARE) * BigInt(uncles.length)
  return [
    ...uncles.map(({ header }): Credit => {
      const share = UNCLE_REACH + header.number - number
      return [addressKey(header.coinbase), (blockReward * share) / UNCLE_REACH]
    }),
    [addressKey(coinbase), blockReward + forUncles],
  ]
}

/** What withdrawals pay out (EIP-4895). */
export function withdrawalCredits(withdrawals: readonly Withdrawal[]): Credit[] {
  return withdrawals
    .filter(({ amount }) => amount > 0n)
    .map(({ address, amount }) => [addressKeyFromHex(address), amount * GWEI])
}

/** The change of state that these make. */
export function creditDiff(credits: readonly Credit[], state: StateReader): StateDiff {
  const accounts = new Map<AddressKey, AccountRecord>()
  for (const [key, wei] of credits) {
    const before = accounts.get(key) ?? state.account(key) ?? EMPTY_ACCOUNT
    accounts.set(key, { ...before, balance: before.balance + wei })
  }
  return { accounts, storage: new Map() }
}
