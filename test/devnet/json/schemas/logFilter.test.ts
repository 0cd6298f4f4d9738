import { describe, expect, test } from 'vitest'
import { logFilter } from '../../../../devnet/json/schemas/logFilter.ts'
import { read } from './support.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`
const T = `0x${'cc'.repeat(32)}`
const U = `0x${'dd'.repeat(32)}`

describe('logFilter', () => {
  test('default', () => {
    expect(read(logFilter(), {})).toEqual({ addresses: [], topics: [] })
  })

  test('args: range', () => {
    expect(read(logFilter(), { fromBlock: 'earliest', toBlock: '0x10', blockHash: null })).toEqual({
      fromBlock: { tag: 'earliest' },
      toBlock: { number: 16n },
      addresses: [],
      topics: [],
    })
  })

  test('args: blockHash', () => {
    expect(read(logFilter(), { blockHash: T, fromBlock: null })).toEqual({
      blockHash: T,
      addresses: [],
      topics: [],
    })
  })

  test.each([
    [A, [A]],
    [`0x${'aA'.repeat(20)}`, [A]],
    [
      [A, B],
      [A, B],
    ],
    [[], []],
    [null, []],
  ])('args: address %j', (address, addresses) => {
    expect(read(logFilter(), { address })).toEqual({ addresses, topics: [] })
  })

  test('args: topics', () => {
    const topics = [T, null, [T, U], [T, null]]
    expect(read(logFilter(), { topics })).toEqual({
      addresses: [],
      topics: [[T], null, [T, U], null],
    })
    expect(read(logFilter(), { topics: [[]] })).toEqual({ addresses: [], topics: [null] })
  })

  test.each([
    [
      { blockHash: T, toBlock: 'latest' },
      'cannot specify both blockHash and fromBlock/toBlock, choose one or the other',
    ],
    [{ fromBlock: T }, 'fromBlock: hex number > 64 bits'],
    [{ toBlock: 16 }, 'toBlock: want a block tag or number, got a number'],
    [{ address: [A, '0x12'] }, 'address[1]: hex string has length 2, want 40 for an address'],
    [{ address: 1 }, 'address: want an address, got a number'],
    [
      { address: Array.from({ length: 1001 }, () => A) },
      'address: too many filter addresses: max 1000, got 1001',
    ],
    [{ topics: T }, 'topics: want a list of topics, got a string'],
    [{ topics: [T, T, T, T, T] }, 'topics: exceed max topics: max 4, got 5'],
    [{ topics: [null, '0x1'] }, 'topics[1]: hex string has length 1, want 64 for a hash'],
    [{ topics: [[T, 1]] }, 'topics[0][1]: want a hash, got a number'],
    [
      { topics: [null, Array.from({ length: 1001 }, () => T)] },
      'topics: too many filter topics in slot 1: max 1000, got 1001',
    ],
    ['x', 'want an object, got a string'],
  ])('refuses %#', (value, problem) => {
    expect(read(logFilter(), value)).toBe(`invalid argument 0: ${problem}`)
  })
})
