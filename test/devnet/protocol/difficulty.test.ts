import { createBlockHeader } from '@ethereumjs/block'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Crypto, loadCrypto } from '../../../devnet/engine/crypto.ts'
import { createFixedCommon } from '../../../devnet/engine/library/fixedCommon.ts'
import { nextDifficulty } from '../../../devnet/protocol/difficulty.ts'
import { forkRules } from '../../../devnet/protocol/forks.ts'
import { EMPTY_UNCLES_HASH } from '../../../devnet/protocol/header.ts'

const WITH_WORK = [
  'chainstart',
  'homestead',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'muirGlacier',
  'berlin',
  'london',
  'arrowGlacier',
  'grayGlacier',
] as const

let crypto: Crypto
beforeAll(async () => {
  crypto = await loadCrypto()
})

describe.each(WITH_WORK)('%s', (hardfork) => {
  test('the canonical difficulty of the library', () => {
    const common = createFixedCommon({ chainId: 1, hardfork, crypto })
    // The library's London is without EIP-3554, so that it has Muir Glacier's delay.
    const changes = hardfork === 'london' ? { bombDelay: 9_000_000n } : {}
    fc.assert(
      fc.property(
        fc.bigInt(0n, 16_000_000n),
        fc.bigInt(0n, 2000n),
        fc.bigInt(1n, 2n ** 60n),
        fc.boolean(),
        (number, elapsed, difficulty, hasUncles) => {
          const parent = {
            number,
            timestamp: 1_000_000n,
            difficulty,
            sha3Uncles: hasUncles ? new Uint8Array(32) : EMPTY_UNCLES_HASH,
          }
          const timestamp = parent.timestamp + elapsed
          const header = createBlockHeader({ number: number + 1n, timestamp }, { common })
          const canonical = header.ethashCanonicalDifficulty(
            createBlockHeader({ ...parent, uncleHash: parent.sha3Uncles }, { common }),
          )
          expect(nextDifficulty(parent, timestamp, forkRules(hardfork, changes))).toBe(canonical)
        },
      ),
      { numRuns: 200 },
    )
  })
})

test('the bomb of London is late by what EIP-3554 says', () => {
  expect(forkRules('london').bombDelay).toBe(9_700_000n)
})

test('none since Paris', () => {
  const parent = { number: 1n, timestamp: 1n, difficulty: 5n, sha3Uncles: EMPTY_UNCLES_HASH }
  expect(nextDifficulty(parent, 2n, forkRules('paris'))).toBe(0n)
})
