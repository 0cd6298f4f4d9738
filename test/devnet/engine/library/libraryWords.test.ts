import { EVMError } from '@ethereumjs/evm'
import { expect, test } from 'vitest'
import {
  toHalt,
  toPrecompileHalt,
  toRefusal,
} from '../../../../devnet/engine/library/libraryWords.ts'
import { fromHex } from '../../../../devnet/primitives/hex.ts'
import type { TransactionFields } from '../../../../devnet/protocol/transaction.ts'
import { TransactionRefused } from '../../../../devnet/protocol/transactionRefused.ts'

const HASH = `0x${'ab'.repeat(32)}`
const ADDRESS = `0x${'00'.repeat(20)}`
const CONTEXT = ` (vm hf=osaka -> block 2 -> tx type=2 hash=${HASH})`

/** Costs at most 16. */
const FIELDS: TransactionFields = {
  type: 2,
  from: fromHex(ADDRESS),
  to: fromHex(ADDRESS),
  nonce: 0n,
  gasLimit: 3n,
  value: 1n,
  data: new Uint8Array(),
  maxFeePerGas: 5n,
  maxPriorityFeePerGas: 0n,
  accessList: [],
  maxFeePerBlobGas: 0n,
  blobVersionedHashes: [],
  authorizationList: [],
}

test('every failure of the library but a stop has a word of its own here', () => {
  const halts = Object.values(EVMError.errorMessages).map((words) => [
    words,
    toHalt(new EVMError(words)),
  ])
  const strange = halts.filter(([, halt]) => halt === undefined || halt === 'internal')
  expect(Object.fromEntries(strange)).toEqual({
    stop: undefined,
    'internal error': 'internal',
    'refund exhausted': 'internal',
    'invalid EOF format': 'internal',
  })
})

test('a jump, with the place that the library appends', () => {
  const error = new EVMError('invalid JUMP')
  Object.assign(error, { error: `invalid JUMP at ${HASH}/${ADDRESS}:3` })
  expect(toHalt(error)).toBe('invalidJump')
})

test.each([
  ['value out of range', 9, 213, 'finalFlag'],
  ['value out of range', 9, 212, 'inputLength'],
  ['invalid input length', 8, 1, 'pairingSize'],
  ['invalid input length', 10, 1, 'inputLength'],
  ['revert', 10, 192, 'kzgProof'],
  ['revert', 6, 128, 'notOnCurve'],
  ['revert', 8, 192, 'notInSubgroup'],
  ['out of gas', 8, 192, 'outOfGas'],
] as const)('a precompile: %s of %i with %i bytes', (words, address, length, halt) => {
  const called = { address, data: new Uint8Array(length) }
  expect(toPrecompileHalt(new EVMError(words), called)).toBe(halt)
})

test.each([
  [
    'INTRINSIC_GAS_TOO_LOW: tx gas limit 3 is lower than the minimum gas limit of 21000',
    'intrinsicGas',
    'INTRINSIC_GAS_TOO_LOW: tx gas limit 3 is lower than the minimum gas limit of 21000',
  ],
  [
    "Transaction's gasPrice (5) is less than the block's baseFeePerGas (7)",
    'gasPrice',
    "Transaction's gasPrice (5) is less than the block's baseFeePerGas (7)",
  ],
  [
    "Transaction's maxFeePerGas (5) is less than the block's baseFeePerGas (7)",
    'maxFeePerGas',
    "Transaction's maxFeePerGas (5) is less than the block's baseFeePerGas (7)",
  ],
  [
    "Transaction's maxFeePerBlobGas 5) is less than block blobGasPrice (7).",
    'maxFeePerBlobGas',
    "Transaction's maxFeePerBlobGas (5) is less than block blobGasPrice (7).",
  ],
  [
    'invalid sender address, address is not EOA (EIP-3607)',
    'senderCode',
    'invalid sender address, address is not EOA (EIP-3607)',
  ],
  [
    `sender doesn't have enough funds to send tx. The upfront cost is: 9 and the sender's account (${ADDRESS}) only has: 2`,
    'funds',
    "sender doesn't have enough funds to send tx. The max cost is: 16 and the sender's account only has: 2",
  ],
  [
    "the tx doesn't have the correct nonce. account has nonce of: 1 tx has nonce of: 0",
    'nonce',
    "the tx doesn't have the correct nonce. account has nonce of: 1 tx has nonce of: 0",
  ],
])('a refusal: %s', (words, kind, message) => {
  const refusal = toRefusal(new Error(words + CONTEXT), FIELDS)
  expect(refusal).toBeInstanceOf(TransactionRefused)
  expect(refusal).toMatchObject({ kind, message })
})

test('other errors lose the context that the library appends, and no more', () => {
  const error = new Error(`gas limit is too low (tx type=2 hash=${HASH} nonce=0)`)
  expect(toRefusal(error, FIELDS)).toEqual(new Error('gas limit is too low'))
  const other = new RangeError('nonce cannot exceed MAX_UINT64 (2^64-1)')
  expect(toRefusal(other, FIELDS)).toBe(other)
})
