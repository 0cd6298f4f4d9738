import { describe, expect, test } from 'vitest'
import { History } from '../../../devnet/chain/history.ts'
import { ReservedHeaders, ReservedRange } from '../../../devnet/chain/reservedRange.ts'
import { createTestChain } from '../../support/chain.ts'
import { blockAt, expectAllLinked } from './linkage.ts'

/** Blocks 0 and 1, reserved ones to 1999, block 2000, and one after it. */
async function createLong(keepBlocks = 0) {
  const node = await createTestChain({ keepBlocks })
  await node.clocks.tickAndSeal(2000)
  await node.clocks.seal()
  return node.chain
}

const shape = (history: History) =>
  history.entries().map((entry) => ('number' in entry ? entry.number : [entry.first, entry.last]))

test('default: one entry for all reserved blocks', async () => {
  const chain = await createLong()
  expect(shape(chain.history)).toEqual([0, 1, [2, 1999], 2000, 2001])
  expect([chain.history.oldest, chain.history.head.number]).toEqual([0, 2001])
  expectAllLinked(chain)
})

test('a block is made once in a while, and the same block again', async () => {
  const { history } = await createLong()
  const block = history.byNumber(1000)
  expect(history.byNumber(1000)).toBe(block)
  for (let number = 2; number < 900; number++) history.byNumber(number)
  expect(history.byNumber(1000)).not.toBe(block)
  expect(history.byNumber(1000)).toEqual(block)
  expect(history.byNumber(1999)).toBe(history.byNumber(1999))
})

test('what is not there', async () => {
  const { history } = await createLong()
  for (const number of [-1, 2002, 1e17]) expect(history.byNumber(number)).toBeUndefined()
  const { hash } = blockAt({ history }, 1000)
  // The number of another block, and of one that is not reserved, behind the same random part.
  for (const number of [1001, 2000, 5000, 2n ** 64n - 1n]) {
    expect(
      history.byHash(
        `${hash.slice(0, 50)}${number.toString(16).padStart(16, '0')}` as `0x${string}`,
      ),
    ).toBeUndefined()
  }
  expect(history.byHash(`0x${'00'.repeat(23)}${hash.slice(48)}`)).toBeUndefined()
})

test('skips what is reserved', async () => {
  const { history } = await createLong()
  expect(
    [0, 1, 2, 1000, 1999, 2000, 2001, 2002].map((number) => history.skipReserved(number)),
  ).toEqual([0, 1, 2000, 2000, 2000, 2000, 2001, 2002])
})

describe('truncate', () => {
  test('before, in and behind a range', async () => {
    const { history } = await createLong()
    const hashes = [1, 500, 1999, 2000].map((number) => blockAt({ history }, number).hash)
    history.truncate(2000)
    expect(shape(history)).toEqual([0, 1, [2, 1999], 2000])
    history.truncate(500)
    expect(shape(history)).toEqual([0, 1, [2, 500]])
    expect([history.head.number, history.head.hash]).toEqual([500, hashes[1]])
    expect(hashes.map((hash) => history.byHash(hash)?.number)).toEqual([
      1,
      500,
      undefined,
      undefined,
    ])
    expectAllLinked({ history })
    history.truncate(1)
    expect(shape(history)).toEqual([0, 1])
    expect(history.byHash(hashes[1] ?? '0x')).toBeUndefined()
  })

  test('a cheat on a last reserved block is its own, and blocks go on after it', async () => {
    const chain = await createLong()
    const { history } = chain
    history.truncate(500)
    const { head } = history
    const parent = blockAt(chain, 499)
    head.version = 77
    expect(blockAt(chain, 500)).toBe(head)
    expect([head.version, head.sealedVersion]).toEqual([77, parent.version])
    history.push({ ...head, number: 501, hash: `0x${'51'.repeat(32)}` })
    expect(shape(history)).toEqual([0, 1, [2, 500], 501])
    history.truncate(499)
    expect(history.head.version).toBe(parent.version)
  })
})

describe('dropBelow', () => {
  test('before, in and behind a range, with the hashes that BLOCKHASH reaches', async () => {
    const { history } = await createLong()
    const hashes = new Map(
      Array.from({ length: 2002 }, (_, number) => [number, history.hashOf(number)]),
    )
    const expectDropped = (oldest: number) => {
      expect(history.oldest).toBe(oldest)
      const kept = Array.from({ length: Math.min(oldest, 256) }, (_, index) => oldest - 1 - index)
      expect(history.droppedHashes).toEqual(
        new Map(kept.reverse().map((number) => [number, hashes.get(number)])),
      )
      for (const number of kept) expect(history.hashOf(number)).toEqual(hashes.get(number))
      expect(history.byNumber(oldest - 1)).toBeUndefined()
      expectAllLinked({ history })
    }
    expect(history.dropBelow(0)).toBe(false)
    for (const number of [1, 2, 3, 300, 1999, 2000]) {
      expect(history.dropBelow(number)).toBe(true)
      expectDropped(number)
    }
    expect(history.dropBelow(2000)).toBe(false)
    expect(history.dropBelow(10_000)).toBe(true)
    expectDropped(2001)
    expect(history.genesis?.hash).toEqual(hashes.get(0))
  })

  test('a range that is the newest keeps its last block', async () => {
    const { history } = await createLong()
    history.truncate(1000)
    const { head } = history
    expect(history.dropBelow(5000)).toBe(true)
    expect([history.head, history.oldest]).toEqual([head, 1000])
    expect(history.head).toBe(head)
    expect(shape(history)).toEqual([[1000, 1000]])
  })
})

test('a history that begins with a range', async () => {
  const { history } = await createLong()
  const range = history.entries().find((entry) => entry instanceof ReservedRange)
  if (range === undefined) throw new Error('No range')
  const began = new History(range, { genesis: history.genesis })
  expect([began.oldest, began.head]).toEqual([2, range.newest])
  expect(began.byHash(range.newest.hash)).toBe(range.newest)
  expect(began.genesis).toEqual(history.genesis)
})

test('commands with other gaps have other hashes, longer ones the same', async () => {
  const [short, long, wide] = await Promise.all(
    [[500], [1000], [500, 2]].map(async ([count = 0, interval = 1]) => {
      const node = await createTestChain()
      await node.clocks.tickAndSeal(count, { interval })
      return blockAt(node.chain, 300)
    }),
  )
  expect(short?.hash).toBe(long?.hash)
  expect(short?.hash).not.toBe(wide?.hash)
})

test('fees fall to where they stay, however long the range', async () => {
  const { chain } = await createTestChain()
  const { header, rules } = chain.head
  const headers = (excessBlobGas: bigint) =>
    new ReservedHeaders({
      header: { ...header, excessBlobGas, number: 10n },
      rules,
      step: 1500,
      randaoSeed: chain.history.randaoSeed,
      keccak256: chain.engine.crypto.keccak256,
    })
  const range = headers(0n)
  expect(range.header(11).baseFeePerGas).toBe(875_000_000n)
  expect(range.header(1e15).baseFeePerGas).toBe(7n)
  expect(range.timestamp(13) - range.timestamp(10)).toBe(4n)
  const target = (rules.blobSchedule?.target ?? 0n) * 2n ** 17n
  const full = headers(3n * target + 5n)
  const excess = (number: number) => full.header(number).excessBlobGas
  // With so high a base fee, EIP-7918 holds it for a while.
  const from = Array.from({ length: 500 }, (_, index) => 10 + index).findLast(
    (number) => excess(number) === 3n * target + 5n,
  )
  if (from === undefined) throw new Error('It never falls')
  expect([1, 2, 3, 4, 1e12].map((after) => excess(from + after))).toEqual([
    2n * target + 5n,
    target + 5n,
    5n,
    0n,
    0n,
  ])
})
