import { addressKey, addressKeyFromHex } from '../state/keys.ts'
import type { AddressKey } from '../state/types.ts'
import type { BlockEnvironment } from './environment.ts'
import type { BlockHeader } from './header.ts'
import { GWEI } from './units.ts'
import type { Withdrawal } from './withdrawals.ts'

/** wei that a block credits to an account outside of transactions. */
type BalanceIncrement = readonly [account: AddressKey, wei: bigint]

/** An uncle's reward shrinks with its distance from the block; at this distance it is zero. */
const UNCLE_REACH = 8n

/** For each of its uncles, a block earns 1/32 of the block reward. */
const NEPHEW_SHARE = 32n

/** Rewards of a block and its uncles before Paris (yellow paper 11.3). */
export function blockRewards(
  { number, coinbase, rules }: Pick<BlockEnvironment, 'number' | 'coinbase' | 'rules'>,
  uncles: readonly { readonly header: Pick<BlockHeader, 'number' | 'coinbase'> }[],
): BalanceIncrement[] {
  const { blockReward } = rules
  if (blockReward === 0n) return []
  const forUncles = (blockReward / NEPHEW_SHARE) * BigInt(uncles.length)
  return [
    ...uncles.map(({ header }): BalanceIncrement => {
      const share = UNCLE_REACH + header.number - number
      return [addressKey(header.coinbase), (blockReward * share) / UNCLE_REACH]
    }),
    [addressKey(coinbase), blockReward + forUncles],
  ]
}

/** Credits of withdrawals to accounts (EIP-4895). */
export function withdrawalIncrements(withdrawals: readonly Withdrawal[]): BalanceIncrement[] {
  return withdrawals
    .filter(({ amount }) => amount > 0n)
    .map(({ address, amount }) => [addressKeyFromHex(address), amount * GWEI])
}
