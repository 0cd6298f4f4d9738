import { RLP } from '@ethereumjs/rlp'
import { expect, test } from 'vitest'
import { bitsOfBloom } from '../../../devnet/protocol/bloom.ts'
import type { RawLog } from '../../../devnet/protocol/receipt.ts'
import { type ExecutedTransaction, encodeReceipts } from '../../../devnet/protocol/receipt.ts'

const topic = (byte: number) => new Uint8Array(32).fill(byte)
const log = (topics: number, data: number): RawLog => [
  new Uint8Array(20).fill(7),
  Array.from({ length: topics }, (_, index) => topic(index)),
  new Uint8Array(data).fill(1),
]

test.for([
  { type: 0, success: true, gas: 21_000n, logs: [] },
  { type: 2, success: false, gas: 0n, logs: [] },
  { type: 2, success: true, gas: 51_278n, logs: [log(3, 32)] },
  { type: 4, success: true, gas: 2n ** 40n, logs: [log(0, 0), log(4, 1), log(1, 3000)] },
])('a receipt as the library encodes it, %o', ({ type, success, gas, logs }) => {
  const bloom = new Uint8Array(256).map((_, index) => (index * 37) & 0xff)
  // Nothing else of it is encoded.
  const executed = {
    transaction: { type },
    success,
    cumulativeGasUsed: gas,
    logs,
    bloomBits: bitsOfBloom(bloom),
  } as unknown as ExecutedTransaction
  const fields = RLP.encode([success ? 1 : 0, gas, bloom, logs as never])
  const expected = type === 0 ? fields : Uint8Array.from([type, ...fields])
  expect(encodeReceipts([executed, executed])).toEqual([expected, expected])
})
