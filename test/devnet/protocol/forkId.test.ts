import { expect, test } from 'vitest'
import { fromHex, toHex } from '../../../devnet/primitives/hex.ts'
import { forkHash } from '../../../devnet/protocol/forkId.ts'
import { ForkSchedule } from '../../../devnet/protocol/forkSchedule.ts'
import { forkRules, type HardforkName } from '../../../devnet/protocol/forks.ts'

/** Mainnet's hardforks. */
const BLOCKS: [HardforkName, bigint][] = [
  ['homestead', 1_150_000n],
  ['dao', 1_920_000n],
  ['tangerineWhistle', 2_463_000n],
  ['spuriousDragon', 2_675_000n],
  ['byzantium', 4_370_000n],
  ['constantinople', 7_280_000n],
  ['petersburg', 7_280_000n],
  ['istanbul', 9_069_000n],
  ['muirGlacier', 9_200_000n],
  ['berlin', 12_244_000n],
  ['london', 12_965_000n],
  ['arrowGlacier', 13_773_000n],
  ['grayGlacier', 15_050_000n],
]
const TIMES: [HardforkName, bigint][] = [
  ['shanghai', 1_681_338_455n],
  ['cancun', 1_710_338_135n],
  ['prague', 1_746_612_311n],
]

const mainnet = new ForkSchedule(forkRules('chainstart'), [
  ...BLOCKS.map(([name, block]) => ({ rules: forkRules(name), block })),
  ...TIMES.map(([name, time]) => ({ rules: forkRules(name), time })),
])

const genesis = {
  hash: fromHex('0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3'),
  timestamp: 0n,
}

// The hashes that EIP-2124 and EIP-6122 give for mainnet, and geth for Prague.
test.each([
  ['Gray Glacier', 0n, '0xf0afd0e3'],
  ['Gray Glacier, to its last second', 1_681_338_454n, '0xf0afd0e3'],
  ['Shanghai', 1_681_338_455n, '0xdce96c2d'],
  ['Cancun', 1_710_338_135n, '0x9f3d2254'],
  ['Prague', 1_746_612_311n, '0xc376cf8b'],
])('default: mainnet at %s', (_name, time, hash) => {
  expect(toHex(forkHash(genesis, mainnet, time))).toBe(hash)
})

test('what holds from the genesis on leaves the genesis alone', () => {
  const early = { ...genesis, timestamp: 1_800_000_000n }
  const schedule = new ForkSchedule(forkRules('chainstart'), [
    { rules: forkRules('london'), block: 0n },
    { rules: forkRules('prague'), time: 1_800_000_000n },
  ])
  // CRC-32 of mainnet's genesis hash alone: Frontier in EIP-2124.
  expect(toHex(forkHash(early, schedule, 2n ** 40n))).toBe('0xfc64ec04')
  expect(toHex(forkHash(genesis, ForkSchedule.constant('bpo2'), 0n))).toBe('0xfc64ec04')
})
