import { describe, expect, test } from 'vitest'
import { forkRules } from '../../../devnet/protocol/forks.ts'
import { blockRewards } from '../../../devnet/protocol/rewards.ts'

describe('blockRewards', () => {
  const rewards = (hardfork: 'homestead' | 'byzantium' | 'london' | 'paris', uncles: bigint[]) =>
    blockRewards(
      { number: 10n, coinbase: new Uint8Array(20), rules: forkRules(hardfork) },
      uncles.map((number) => ({
        header: { number, coinbase: new Uint8Array(20).fill(1) },
      })),
    ).map(([, wei]) => wei)

  test('default: by hardfork', () => {
    const ether = 10n ** 18n
    expect(rewards('homestead', [])).toEqual([5n * ether])
    expect(rewards('byzantium', [])).toEqual([3n * ether])
    expect(rewards('london', [])).toEqual([2n * ether])
    expect(rewards('paris', [])).toEqual([])
  })

  test('uncles earn less the older they are, and 1/32 for the block each', () => {
    const ether = 10n ** 18n
    expect(rewards('london', [9n, 5n])).toEqual([
      (2n * ether * 7n) / 8n,
      (2n * ether * 3n) / 8n,
      2n * ether + (2n * ether) / 16n,
    ])
  })
})
