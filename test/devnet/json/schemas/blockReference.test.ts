import { describe, expect, test } from 'vitest'
import { blockNumberReference, blockReference } from '../../../../devnet/json/params.ts'
import { read } from './support.ts'

const HASH = `0x${'aB'.repeat(32)}`
const hash = HASH.toLowerCase()
const TAGS = 'latest, pending, safe, finalized, earliest'

describe('blockReference', () => {
  test.each([
    ['latest', { tag: 'latest' }],
    ['pending', { tag: 'pending' }],
    ['safe', { tag: 'safe' }],
    ['finalized', { tag: 'finalized' }],
    ['earliest', { tag: 'earliest' }],
    ['0x0', { number: 0n }],
    ['0x01', { number: 1n }],
    [`0x${'f'.repeat(16)}`, { number: 2n ** 64n - 1n }],
    [HASH, { hash, requireCanonical: false }],
    [{ blockNumber: '0x2' }, { number: 2n }],
    [{ blockNumber: 'pending', blockHash: null }, { tag: 'pending' }],
    [{ blockHash: HASH }, { hash, requireCanonical: false }],
    [
      { blockHash: HASH, requireCanonical: true },
      { hash, requireCanonical: true },
    ],
    [
      { blockHash: HASH, requireCanonical: null },
      { hash, requireCanonical: false },
    ],
  ])('reads %j', (value, expected) => {
    expect(read(blockReference(), value)).toEqual(expected)
  })

  test.each([
    ['newest', `unknown block tag "newest", want one of ${TAGS}`],
    ['Latest', `unknown block tag "Latest", want one of ${TAGS}`],
    ['12', 'hex string without 0x prefix'],
    ['', 'empty hex string'],
    ['0x', 'hex string "0x"'],
    [`0x1${'0'.repeat(16)}`, 'hex number > 64 bits'],
    [`0x${'z'.repeat(64)}`, 'invalid hex string'],
    [12, 'want a block tag or number, got a number'],
    [[], 'want a block, got a list'],
    [{}, 'want blockNumber or blockHash'],
    [
      { blockNumber: '0x1', blockHash: HASH },
      'cannot specify both blockHash and blockNumber, choose one or the other',
    ],
    [{ blockNumber: HASH }, 'blockNumber: hex number > 64 bits'],
    [{ blockNumber: 1 }, 'blockNumber: want a block tag or number, got a number'],
    [{ blockHash: 'latest' }, 'blockHash: hex string without 0x prefix'],
    [
      { blockHash: HASH, requireCanonical: 'yes' },
      'requireCanonical: want true or false, got a string',
    ],
  ])('refuses %j', (value, problem) => {
    expect(read(blockReference(), value)).toBe(`invalid argument 0: ${problem}`)
  })
})

test('blockNumberReference', () => {
  expect(read(blockNumberReference(), 'safe')).toEqual({ tag: 'safe' })
  expect(read(blockNumberReference(), '0x10')).toEqual({ number: 16n })
  expect(read(blockNumberReference(), HASH)).toBe('invalid argument 0: hex number > 64 bits')
  expect(read(blockNumberReference(), {})).toBe(
    'invalid argument 0: want a block tag or number, got an object',
  )
})
