import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { Chain } from '../../../devnet/chain/chain.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import { type Hex, toHex } from '../../../devnet/primitives/hex.ts'
import { createTestChain, START, type TestChain } from '../../support/chain.ts'
import { BLOCK_FORKS, FUNDED, genesisOf, temporaryFile } from '../../support/genesisFile.ts'
import { blockAt, expectAllLinked } from '../chain/linkage.ts'
import { SLOW_CLOCKS } from '../rpc/methods/rpcChain.ts'

/** The numbers of the ranges. */
const ranges = ({ history }: Chain) =>
  history.entries().flatMap((entry) => ('number' in entry ? [] : [[entry.first, entry.last]]))

const timestamps = (chain: Chain, ...numbers: readonly number[]) =>
  numbers.map((number) => Number(blockAt(chain, number).header.timestamp) - START)

function transfer({ accounts }: TestChain, nonce: number, maxFeePerGas: bigint): Promise<Hex> {
  return privateKeyToAccount(accounts[0]?.privateKey ?? '0x').signTransaction({
    type: 'eip1559',
    chainId: 31337,
    nonce,
    to: FUNDED[1],
    gas: 21_000n,
    maxFeePerGas,
    maxPriorityFeePerGas: 0n,
  })
}

test.each(['tickAndSeal', 'advanceBlocks'] as const)(
  'default: %s reserves from 257 blocks on',
  async (command) => {
    const { chain, clocks } = await createTestChain()
    await clocks[command](256)
    expect(ranges(chain)).toEqual([])
    await clocks[command](257)
    expect(ranges(chain)).toEqual([[258, 512]])
    expect(chain.head.number).toBe(513)
    expect([257, 513].map((number) => blockAt(chain, number).isReserved)).toEqual([
      undefined,
      undefined,
    ])
    expectAllLinked(chain)
  },
)

test('default: a billion blocks are one entry', async () => {
  const { chain, clocks } = await createTestChain()
  const values = chain.store.countValues()
  await clocks.tickAndSeal(1e9, { interval: 1 })
  await clocks.tickAndSeal(1e9, { interval: 60 })
  expect(ranges(chain)).toEqual([
    [2, 999_999_999],
    [1_000_000_002, 1_999_999_999],
  ])
  expect(timestamps(chain, 1, 2, 1e9, 1e9 + 1, 2e9)).toEqual([
    2,
    3,
    1e9 + 1,
    1e9 + 3,
    1e9 + 3 + 60 * (1e9 - 1),
  ])
  // Two real blocks per command, with the writes of their system calls.
  expect(chain.store.countValues() - values).toBeLessThan(30)
  expectAllLinked(chain)
})

test('equal commands, equal hashes; the block of a revert is the same again', async () => {
  const hashes: Hex[][] = []
  for (let run = 0; run < 2; run++) {
    const { chain, clocks } = await createTestChain()
    const id = await chain.write((writer) => writer.snapshot(clocks.snapshot()))
    const read = async () => {
      await clocks.tickAndSeal(5000, { interval: 7 })
      await clocks.advanceBlocks(700)
      return [1, 2, 77, 5000, 5500, 5700].map((number) => blockAt(chain, number).hash)
    }
    hashes.push(await read())
    const gone = hashes[0]?.[2] ?? '0x'
    expect(chain.history.byHash(gone)?.number).toBe(77)
    await chain.write((writer) => writer.revert(id))
    expect(chain.history.byHash(gone)).toBeUndefined()
    expect(chain.history.byNumber(77)).toBeUndefined()
    hashes.push(await read())
  }
  expect(new Set(hashes.map((list) => list.join())).size).toBe(1)
})

test('no system call runs in a reserved block', async () => {
  const { chain, clocks } = await createTestChain()
  await clocks.tickAndSeal(1000)
  const root = (number: number) => toHex(blockAt(chain, number).header.stateRoot)
  expect([2, 500, 999].map(root)).toEqual([root(1), root(1), root(1)])
  expect(root(1000)).not.toBe(root(1))
  expect(chain.store.view(blockAt(chain, 500).version)).toEqual(
    chain.store.view(blockAt(chain, 1).version),
  )
})

describe('timestamps', () => {
  test('tickAndSeal without an interval, with and without equal timestamps', async () => {
    const apart = await createTestChain()
    await apart.clocks.tickAndSeal(1000)
    expect(timestamps(apart.chain, 1, 2, 3, 999, 1000)).toEqual([2, 3, 4, 1000, 1001])
    const equal = await createTestChain({ allowBlocksWithSameTimestamp: true })
    await equal.clocks.tickAndSeal(1000)
    expect(timestamps(equal.chain, 1, 2, 3, 999, 1000)).toEqual([2, 2, 2, 2, 2])
    const none = await createTestChain({ allowBlocksWithSameTimestamp: true })
    await none.clocks.tickAndSeal(1000, { interval: 0 })
    expect(timestamps(none.chain, 1, 2, 3, 999, 1000)).toEqual([2, 2, 2, 2, 2])
  })

  test('a chosen first timestamp', async () => {
    const { chain, clocks } = await createTestChain()
    await clocks.tickAndSeal(1000, { timestamp: START + 500, interval: 10 })
    expect(timestamps(chain, 1, 2, 999, 1000)).toEqual([500, 510, 10_480, 10_490])
    expect(clocks.now).toBe((START + 10_490) * 1000)
    expect(Number(chain.pending.environment.timestamp)).toBe(START + 10_492)
  })

  test('the timestamp interval of the chain', async () => {
    for (const command of ['tickAndSeal', 'advanceBlocks'] as const) {
      const { chain, clocks } = await createTestChain()
      await chain.write((writer) => writer.set({ timestampInterval: 30n }))
      await clocks[command](1000)
      expect(timestamps(chain, 1, 2, 999, 1000)).toEqual([30, 60, 999 * 30, 30_000])
    }
  })

  test.each<[OptionsInput, number[]]>([
    [{}, [2, 4, 6, 1998, 2000]],
    [{ sealInterval: 500 }, [0, 1, 1, 499, 500]],
    [{ sealInterval: 2500 }, [2, 5, 7, 2497, 2500]],
    [{ instant: true }, [2, 4, 6, 1998, 2000]],
  ])('advanceBlocks with %j', async (options, expected) => {
    const { chain, clocks, options: resolved } = await createTestChain(options)
    await clocks.advanceBlocks(1000)
    expect(clocks.now).toBe(START * 1000 + 1000 * resolved.sealInterval)
    const found = timestamps(chain, 1, 2, 3, 999, 1000)
    // The timestamps of a range are whole intervals after its first one, which is rounded.
    for (const [index, timestamp] of found.entries()) {
      expect(Math.abs(timestamp - (expected[index] ?? 0))).toBeLessThanOrEqual(
        resolved.sealInterval % 1000 === 0 ? 0 : 1,
      )
    }
    await clocks.advanceBlocks(1)
    expect(Math.abs(timestamps(chain, 1001)[0] ?? 0)).toBeGreaterThanOrEqual(found[4] ?? 0)
  })

  test('a random seal interval is drawn once for a range', async () => {
    const { chain, clocks } = await createTestChain()
    await clocks.setSealInterval([2000, 9000])
    await clocks.advanceBlocks(1000)
    const [second = 0, third = 0, last = 0] = timestamps(chain, 2, 3, 999)
    expect(third - second).toBeGreaterThanOrEqual(2)
    expect(last).toBeGreaterThanOrEqual(second + 997 * 2)
    expect(last).toBeLessThanOrEqual(second + 997 * 9)
  })

  test('error: too late, or too many; nothing is sealed', async () => {
    const { chain, clocks } = await createTestChain()
    await clocks.tickAndSeal(1)
    const late = /timestamp \d+ is too late: it is in seconds, and at most 8640000000000/
    await expect(clocks.tickAndSeal(1e13)).rejects.toThrow(late)
    await expect(clocks.tickAndSeal(1000, { interval: 1e10 })).rejects.toThrow(late)
    await expect(clocks.tickAndSeal(2, { timestamp: 8.64e12 })).rejects.toThrow(late)
    await expect(clocks.advanceBlocks(1e13)).rejects.toThrow(late)
    await chain.write((writer) => writer.set({ timestampInterval: 1n }))
    // Virtual time moves by seal intervals all the same.
    await expect(clocks.advanceBlocks(5e12)).rejects.toThrow(late)
    await chain.write((writer) => writer.set({ timestampInterval: undefined }))
    await expect(clocks.tickAndSeal(Number.MAX_SAFE_INTEGER)).rejects.toThrow(
      '9007199254740991 blocks are too many: want no block number over 9007199254740991',
    )
    expect(chain.head.number).toBe(1)
    await clocks.tickAndSeal(1, { timestamp: 8.64e12 })
    expect(chain.head.number).toBe(2)
  })
})

describe('what waits', () => {
  test('it is in the first block, or in as many as it takes', async () => {
    const node = await createTestChain({ gasLimit: 42_000 })
    const { chain, clocks } = node
    for (let nonce = 0; nonce < 5; nonce++) await node.send(await transfer(node, nonce, 10n ** 10n))
    await clocks.tickAndSeal(1000)
    expect([1, 2, 3].map((number) => blockAt(chain, number).executed.length)).toEqual([2, 2, 1])
    expect(ranges(chain)).toEqual([[4, 999]])
    expectAllLinked(chain)
  })

  test.each(['tickAndSeal', 'advanceBlocks'] as const)(
    '%s takes what offers too little once the base fee has fallen to it',
    async (command) => {
      const node = await createTestChain()
      const { chain, clocks } = node
      const choose = (baseFeePerGas: bigint) =>
        chain.write((writer) => writer.overrideNext({ baseFeePerGas }))
      // Nothing is accepted that offers less than the pending base fee.
      await choose(1n)
      await node.send(await transfer(node, 0, 10n ** 7n))
      await node.send(await transfer(node, 1, 6n))
      await choose(10n ** 12n)
      await clocks[command](1000)
      const [taken] = Array.from({ length: 400 }, (_, number) => blockAt(chain, number)).filter(
        ({ executed }) => executed.length > 0,
      )
      expect(taken?.header.baseFeePerGas).toBeLessThanOrEqual(10n ** 7n)
      expect(blockAt(chain, (taken?.number ?? 0) - 1).header.baseFeePerGas).toBeGreaterThan(
        10n ** 7n,
      )
      // The other one offers less than any base fee, so that blocks are reserved all the same.
      expect(chain.mempool.size).toBe(1)
      const [[first = 0, last] = []] = ranges(chain)
      expect(last).toBe(999)
      expect(blockAt(chain, first).header.baseFeePerGas).toBe(7n)
      expect(blockAt(chain, first - 1).header.baseFeePerGas).toBe(8n)
      expectAllLinked(chain, (number) => number === 1)
    },
  )

  test('pre-confirmed transactions and cheats behind them are in the first block', async () => {
    const node = await createTestChain()
    const { chain, clocks } = node
    await node.send(await transfer(node, 0, 10n ** 10n))
    await clocks.advanceTicks(1)
    await chain.write((writer) =>
      writer.cheat({ kind: 'setBalance', address: FUNDED[2], balance: 5n }),
    )
    await clocks.tickAndSeal(1000)
    expect(blockAt(chain, 1).steps).toHaveLength(1)
    expect(ranges(chain)).toEqual([[2, 999]])
    expectAllLinked(chain)
  })

  test('cheats before and after; each block keeps its own state', async () => {
    const { chain, clocks } = await createTestChain()
    const set = (balance: bigint) =>
      chain.write((writer) => writer.cheat({ kind: 'setBalance', address: FUNDED[2], balance }))
    await set(1n)
    await clocks.tickAndSeal(1000)
    await set(2n)
    await clocks.tickAndSeal(1000)
    const key = [...chain.store.accountKeys()].find((account) =>
      [1n, 2n].includes(
        chain.store.view(blockAt(chain, 1500).version).account(account)?.balance ?? 0n,
      ),
    )
    if (key === undefined) throw new Error('No account has the balance')
    const balance = (number: number) =>
      chain.store.view(blockAt(chain, number).version).account(key)?.balance
    expect([1, 2, 999, 1000, 1001, 1500, 2000].map(balance)).toEqual([1n, 1n, 1n, 2n, 2n, 2n, 2n])
    expect(chain.stateTrie(blockAt(chain, 999)).root()).toEqual(
      blockAt(chain, 999).header.stateRoot,
    )
    expectAllLinked(chain)
  })
})

describe('hardforks', () => {
  const create = (config: object, options: OptionsInput = {}) => {
    const genesis = genesisOf(
      { ...BLOCK_FORKS, ...config },
      { timestamp: `0x${START.toString(16)}` },
    )
    return createTestChain({ genesis: temporaryFile('genesis.json', genesis), ...options })
  }
  const forkOf = (chain: Chain, number: number) => blockAt(chain, number).rules.hardfork

  test('a range ends where one begins, by time', async () => {
    const { chain, clocks } = await create({
      shanghaiTime: START,
      cancunTime: START + 5000,
      pragueTime: START + 5600,
    })
    await clocks.tickAndSeal(10_000, { interval: 1 })
    const cancun = 4999
    const prague = 5599
    expect(timestamps(chain, cancun, prague)).toEqual([5000, 5600])
    expect(ranges(chain)).toEqual([
      [2, cancun - 1],
      [cancun + 1, prague - 1],
      [prague + 1, 9999],
    ])
    expect([cancun - 1, cancun, prague - 1, prague].map((number) => forkOf(chain, number))).toEqual(
      ['shanghai', 'cancun', 'cancun', 'prague'],
    )
    expect(blockAt(chain, cancun - 1).header).not.toHaveProperty('excessBlobGas')
    expect(blockAt(chain, cancun + 1).header.excessBlobGas).toBe(0n)
    expect(blockAt(chain, prague + 1).header.requestsHash).toHaveLength(32)
    expectAllLinked(chain)
  })

  test('by number, before the merge, where a reserved block pays nobody', async () => {
    const { chain, clocks } = await create({ berlinBlock: 700, londonBlock: 1500 })
    await clocks.tickAndSeal(3000)
    expect(ranges(chain)).toEqual([
      [2, 699],
      [701, 1499],
      [1501, 2999],
    ])
    expect([699, 700, 1499, 1500].map((number) => forkOf(chain, number))).toEqual([
      'istanbul',
      'berlin',
      'berlin',
      'london',
    ])
    const { difficulty } = blockAt(chain, 2).header
    expect([3, 600, 699].map((number) => blockAt(chain, number).header.difficulty)).toEqual([
      difficulty,
      difficulty,
      difficulty,
    ])
    expect(blockAt(chain, 1501).header.baseFeePerGas).toBe(875_000_000n)
    expect(blockAt(chain, 1501).header.gasLimit).toBe(blockAt(chain, 1500).header.gasLimit)
  })
})

describe('keepBlocks', () => {
  test.each([1, 2, 100, 998, 999, 1000])('%i', async (keepBlocks) => {
    const { chain, clocks } = await createTestChain({ keepBlocks })
    const whole = await createTestChain()
    for (const node of [{ clocks }, whole]) await node.clocks.tickAndSeal(1000)
    expect(chain.history.oldest).toBe(1001 - keepBlocks)
    expect(chain.head.hash).toBe(whole.chain.head.hash)
    for (let back = 1; back <= 256; back++) {
      const number = BigInt(1001 - back)
      expect(chain.blockHashes(number)).toEqual(whole.chain.blockHashes(number))
    }
    expectAllLinked(chain)
    await clocks.tickAndSeal(1e9)
    expect(chain.history.oldest).toBe(1e9 + 1001 - keepBlocks)
    expect(chain.history.entries().length).toBeLessThanOrEqual(3)
  })
})

test('ticks stay at their time', async () => {
  const { chain, clocks } = await createTestChain(SLOW_CLOCKS)
  const due = clocks.ticks.next(clocks.now)
  await clocks.tickAndSeal(1000)
  expect(ranges(chain)).toEqual([[2, 999]])
  expect(clocks.ticks.next(clocks.now)).toBe(due)
  clocks.stop()
})

test('stopping a node ends a command between two blocks', async () => {
  const { chain, clocks } = await createTestChain()
  const mining = clocks.tickAndSeal(200)
  await new Promise((resolve) => setImmediate(resolve))
  clocks.stop()
  await expect(mining).rejects.toThrow('The node was stopped')
  expect(chain.head.number).toBeLessThan(200)
})

test('listeners hear of the last block of a range', async () => {
  const { chain, clocks } = await createTestChain()
  const sealed: number[] = []
  chain.events.sealed.add(({ number }) => sealed.push(number))
  await clocks.tickAndSeal(1e6)
  expect(sealed).toEqual([1, 999_999, 1_000_000])
})
