import { expect, test } from 'vitest'
import { libraryReason } from '../../../devnet/engine/executionResult.ts'

const HASH = `0x${'ab'.repeat(32)}`

test.each<[string, unknown, string]>([
  ['a position in code', `invalid JUMP at ${HASH}/0x${'00'.repeat(20)}:3`, 'invalid JUMP'],
  [
    'the state of the VM',
    new Error(`the account (0x01) has 5 (vm hf=osaka -> block 2 -> tx type=2 hash=${HASH})`),
    'the account (0x01) has 5',
  ],
  [
    'a transaction',
    new Error(`gas limit is too low (tx type=2 hash=${HASH} nonce=0)`),
    'gas limit is too low',
  ],
  ['a part of RLP', new Error('invalid RLP (safeSlice): end slice out-of-bounds'), 'invalid RLP'],
  ['nothing', 'nonce cannot exceed MAX_UINT64 (2^64-1)', 'nonce cannot exceed MAX_UINT64 (2^64-1)'],
])('behavior: without the context that the library appends: %s', (_, error, reason) => {
  expect(libraryReason(error)).toBe(reason)
})
