import { expect, test } from 'vitest'
import { fromHex } from '../../../../devnet/primitives/hex.ts'
import { fastLzLength } from '../../../../devnet/protocol/rollup/fastLz.ts'

/** A transaction of OP Mainnet, 0x8eb9dd4e…b594. */
const CALL = fromHex(
  '0x02f901550a758302df1483be21b88304743f94f80e51afb613d764fa61751affd3313c190a86bb870151bd62fd12adb8e41ef24f3f000000000000000000000000000000000000000000000000000000000000006e000000000000000000000000af88d065e77c8cc2239327c5edb3a432268e5831000000000000000000000000000000000000000000000000000000000003c1e50000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000a000000000000000000000000000000000000000000000000000000000000000148c89ed219d02f1a5be012c689b4f5b731827bebe000000000000000000000000c001a033fd89cb37c31b2cba46b6466e040c61fc9b2a3675a7f5f493ebd5ad77c497f8a07cdf65680e238392693019b4092f610222e71b7cec06449cb922b93b6a12744e',
)

test('lengths are those that op-geth tests', () => {
  expect(fastLzLength(new Uint8Array(0))).toBe(0)
  expect(fastLzLength(new Uint8Array(1000))).toBe(21)
  expect(fastLzLength(new Uint8Array(1000).fill(1))).toBe(21)
  expect(fastLzLength(CALL)).toBe(202)
})

test('what repeats nothing grows by a byte per 32', () => {
  const distinct = (length: number) => Uint8Array.from({ length }, (_, index) => index)
  expect([0, 1, 12, 13, 32, 33, 64, 255].map((length) => fastLzLength(distinct(length)))).toEqual([
    0, 2, 13, 14, 33, 35, 66, 263,
  ])
})
