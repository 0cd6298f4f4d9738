import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { createTestChain, START, type TestChain } from '../../support/chain.ts'
import { holdWallTime, pass } from './wallTime.ts'

const RECIPIENT = '0x00000000000000000000000000000000000000cc'

/** In instant mode with time standing still, so that all timestamps are known. */
async function createInstant(options: OptionsInput = {}): Promise<TestChain> {
  const node = await createTestChain(options)
  onTestFinished(() => node.clocks.stop())
  await node.engine.executor()
  await node.clocks.setAutomine(true)
  return node
}

async function transfer(node: TestChain, nonce: number, sender = 0, maxFeePerGas = 10n ** 11n) {
  const account = node.accounts[sender]
  if (account === undefined) throw new Error('No such account')
  return await privateKeyToAccount(account.privateKey).signTransaction({
    type: 'eip1559',
    chainId: 31337,
    nonce,
    to: RECIPIENT,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas,
    maxPriorityFeePerGas: 1n,
  })
}

/** Sends, and waits until what can be sealed is. */
async function send(node: TestChain, nonce: number, sender = 0): Promise<Hex> {
  const hash = await node.send(await transfer(node, nonce, sender))
  await node.clocks.arrivals
  return hash
}

/** Timestamps after the start, with the hashes of the transactions. */
function blocks({ chain }: TestChain): [timestamp: number, ...hashes: Hex[]][] {
  return chain.history
    .entries()
    .filter((entry) => 'header' in entry)
    .slice(1)
    .map(({ header, executed }) => [
      Number(header.timestamp) - START,
      ...executed.map(({ transaction }) => transaction.hash),
    ])
}

test('default: a block for each transaction, a second after the one before', async () => {
  const node = await createInstant()
  const hashes = [await send(node, 0), await send(node, 1), await send(node, 0, 1)]
  expect(blocks(node)).toEqual(hashes.map((hash, index) => [index + 1, hash]))
  expect(node.chain.pending.executed).toEqual([])
  expect(node.chain.mempool.size).toBe(0)
  // Time keeps up with the blocks.
  expect(node.clocks.now).toBe((START + 3) * 1000)
})

test('many at once, of several senders, each in a block of its own in the order of arrival', async () => {
  const node = await createInstant()
  const raws = await Promise.all(
    Array.from({ length: 30 }, (_, index) => transfer(node, Math.floor(index / 3), index % 3)),
  )
  const hashes = await Promise.all(raws.map((raw) => node.send(raw)))
  await node.clocks.arrivals
  expect(blocks(node).map(([, ...taken]) => taken)).toEqual(hashes.map((hash) => [hash]))
})

test('a nonce gap waits; filled, all that waited behind it shares the block', async () => {
  const node = await createInstant()
  const third = await send(node, 2)
  const second = await send(node, 1)
  expect(blocks(node)).toEqual([])
  expect(node.chain.mempool.size).toBe(2)
  const first = await send(node, 0)
  expect(blocks(node)).toEqual([[1, first, second, third]])
})

test('it shares the block of nothing else that arrives then, and not one without room', async () => {
  const node = await createInstant({ gasLimit: 50_000 })
  await Promise.all([3, 1, 2].map((nonce) => send(node, nonce)))
  const other = await transfer(node, 0, 1)
  const freeing = await transfer(node, 0)
  // Nothing is awaited: both have arrived before the first is sealed.
  await Promise.all([node.send(freeing), node.send(other)])
  await node.clocks.arrivals
  expect(blocks(node).map(([, ...hashes]) => hashes.length)).toEqual([2, 2, 1])
})

test('what was asked for between two arrivals happens between them', async () => {
  const node = await createInstant()
  const { chain, clocks } = node
  const [first, second] = [await transfer(node, 0), await transfer(node, 1)]
  // Nothing is awaited: both have arrived before the first is sealed.
  const sends = [node.send(first)]
  const id = chain.write((writer) => writer.snapshot(clocks.snapshot()))
  sends.push(node.send(second))
  await Promise.all(sends)
  await clocks.arrivals
  expect(chain.head.number).toBe(2)
  const snapshot = await id
  await chain.write((writer) => writer.revert(snapshot))
  expect(chain.head.number).toBe(1)
})

test('switched on, what is pre-confirmed and what waits is sealed, in one block where it fits', async () => {
  const node = await createTestChain({ gasLimit: 50_000 })
  const hashes: Hex[] = []
  for (let nonce = 0; nonce < 2; nonce++) hashes.push(await node.send(await transfer(node, nonce)))
  await node.clocks.advanceTicks(1)
  for (let nonce = 2; nonce < 5; nonce++) hashes.push(await node.send(await transfer(node, nonce)))
  await node.clocks.setAutomine(true)
  expect(blocks(node).map(([, ...taken]) => taken)).toEqual([
    hashes.slice(0, 2),
    hashes.slice(2, 4),
    hashes.slice(4),
  ])
})

test('freeze leaves it, resume restores it and seals what came meanwhile', async () => {
  const node = await createInstant()
  await node.clocks.freeze()
  expect(node.clocks.instant).toBe(false)
  const hash = await send(node, 0)
  await node.clocks.advanceTicks(1)
  expect(node.chain.pending.executed.length).toBe(1)
  expect(node.chain.head.number).toBe(0)
  await node.clocks.resume()
  expect(node.clocks.instant).toBe(true)
  expect(blocks(node).map(([, ...taken]) => taken)).toEqual([[hash]])
})

test('switched off, ticks take what is sent and nothing is sealed', async () => {
  const node = await createInstant()
  await node.clocks.setAutomine(false)
  await send(node, 0)
  await node.clocks.advanceTicks(20)
  expect(node.chain.head.number).toBe(0)
  expect(node.chain.pending.executed.length).toBe(1)
})

test('what pays too little waits, and is sealed once it can be, each in its block', async () => {
  const node = await createInstant()
  const { chain, clocks } = node
  const raws = await Promise.all([0, 1].map((sender) => transfer(node, 0, sender, 10n ** 10n)))
  // Their turn comes after this one, though they are accepted before.
  const dearer = chain.write((writer) => writer.overrideNext({ baseFeePerGas: 10n ** 11n }))
  const hashes = await Promise.all(raws.map((raw) => node.send(raw)))
  await dearer
  await clocks.arrivals
  expect(hashes.map((hash) => chain.mempool.isRunnable(hash))).toEqual([true, true])
  await clocks.advanceTicks(2)
  // Ticks without a transaction seal nothing.
  expect(chain.head.number).toBe(0)
  await chain.write((writer) => writer.overrideNext({ baseFeePerGas: 10n ** 9n }))
  await clocks.arrivals
  expect(blocks(node).map(([, ...taken]) => taken)).toEqual(hashes.map((hash) => [hash]))
})

test('a replacement that pays enough is sealed at once', async () => {
  const node = await createInstant()
  const { chain, clocks } = node
  const raw = await transfer(node, 0, 0, 10n ** 10n)
  const dearer = chain.write((writer) => writer.overrideNext({ baseFeePerGas: 10n ** 11n }))
  await node.send(raw)
  await dearer
  const hash = await node.send(
    await privateKeyToAccount(node.accounts[0]?.privateKey ?? '0x').signTransaction({
      type: 'eip1559',
      chainId: 31337,
      nonce: 0,
      to: RECIPIENT,
      gas: 21_000n,
      maxFeePerGas: 2n * 10n ** 11n,
      maxPriorityFeePerGas: 2n,
    }),
  )
  await clocks.arrivals
  expect(blocks(node).map(([, ...taken]) => taken)).toEqual([[hash]])
})

describe('time', () => {
  test('moving time reaches as far behind the newest block as asked', async () => {
    const node = await createInstant()
    for (let nonce = 0; nonce < 5; nonce++) await send(node, nonce)
    expect(await node.clocks.increaseTime(1000)).toBe(1000)
    await send(node, 5)
    expect(blocks(node).at(-1)?.[0]).toBe(5 + 1000)
  })

  test('moving time moves a block of a fixed interval, too', async () => {
    const node = await createInstant()
    await node.chain.write((writer) => writer.set({ timestampInterval: 10n }))
    await send(node, 0)
    await node.clocks.increaseTime(1000)
    await send(node, 1)
    await send(node, 2)
    expect(blocks(node).map(([timestamp]) => timestamp)).toEqual([10, 1020, 1030])
  })

  test('to a time, forwards and back', async () => {
    const node = await createInstant()
    await send(node, 0)
    expect(await node.clocks.setTime(START + 500)).toBe(499)
    await send(node, 1)
    expect(await node.clocks.setTime(START + 501)).toBe(1)
    await send(node, 2)
    expect(blocks(node).map(([timestamp]) => timestamp)).toEqual([1, 500, 501])
    await expect(node.clocks.setTime(START + 501)).rejects.toThrow('equal to')
    await expect(node.clocks.setTime(START + 500)).rejects.toThrow('lower than')
  })

  test('a timestamp that was asked for holds for one block, and time goes there', async () => {
    const node = await createInstant()
    await node.clocks.setNextTimestamp(START + 100)
    await send(node, 0)
    await send(node, 1)
    expect(blocks(node).map(([timestamp]) => timestamp)).toEqual([100, 101])
  })

  test('args: allowBlocksWithSameTimestamp', async () => {
    const node = await createInstant({ allowBlocksWithSameTimestamp: true })
    for (let nonce = 0; nonce < 3; nonce++) await send(node, nonce)
    await node.clocks.setNextTimestamp(START)
    await node.clocks.tickAndSeal(2)
    expect(blocks(node).map(([timestamp]) => timestamp)).toEqual([0, 0, 0, 0, 0])
  })

  test('a short seal interval does not make timestamps equal', async () => {
    const node = await createInstant({ sealInterval: 250 })
    for (let nonce = 0; nonce < 3; nonce++) await send(node, nonce)
    expect(blocks(node).map(([timestamp]) => timestamp)).toEqual([1, 2, 3])
  })
})

describe('running', () => {
  holdWallTime()

  test('default: no empty blocks, and timestamps of now', async () => {
    const node = await createInstant({ frozenTicks: false, instant: true })
    await pass(node, 10_000)
    expect(node.chain.head.number).toBe(0)
    await send(node, 0)
    await pass(node, 5_000)
    await send(node, 1)
    expect(blocks(node).map(([timestamp]) => timestamp)).toEqual([10, 15])
  })

  test('readers of "pending" see the time that it is now', async () => {
    const node = await createInstant({ frozenTicks: false, instant: true })
    await pass(node, 10_000)
    expect(node.chain.pending.environment.timestamp).toBe(BigInt(START + 10))
    await node.clocks.increaseTime(100)
    expect(node.chain.pending.environment.timestamp).toBe(BigInt(START + 110))
    await pass(node, 3_000)
    expect(node.chain.pending.environment.timestamp).toBe(BigInt(START + 113))
  })

  test('an interval beside it seals empty blocks, too', async () => {
    const node = await createInstant({ frozenTicks: false, instant: true })
    await node.clocks.setSealInterval(3_000)
    expect(node.clocks.instant).toBe(true)
    await pass(node, 2_000)
    const hash = await send(node, 0)
    // Sealing by command starts the interval anew.
    await pass(node, 3_000)
    expect(blocks(node)).toEqual([[2, hash], [5]])
    await node.clocks.setSealInterval(undefined)
    await pass(node, 10_000)
    expect(node.chain.head.number).toBe(2)
    expect(node.clocks.instant).toBe(true)
  })

  test('an interval that varies', async () => {
    const node = await createTestChain({ frozenTicks: false })
    onTestFinished(() => node.clocks.stop())
    await node.clocks.setSealInterval([1_000, 5_000])
    const lengths = new Set<number>()
    for (let block = 0; block < 5; block++) {
      lengths.add(node.clocks.seals.interval)
      await pass(node, node.clocks.seals.interval + 100)
    }
    expect(node.chain.head.number).toBeGreaterThanOrEqual(5)
    expect(lengths.size).toBeGreaterThan(3)
    for (const length of lengths) expect(length >= 1_000 && length <= 5_000).toBe(true)
  })

  test('exclusive: an interval ends it, as on anvil', async () => {
    const node = await createInstant({ frozenTicks: false, instant: true })
    await node.clocks.setSealInterval(3_000, { exclusive: true })
    expect(node.clocks.instant).toBe(false)
    await send(node, 0)
    await pass(node, 2_900)
    expect(node.chain.head.number).toBe(0)
    await pass(node, 200)
    expect(node.chain.head.number).toBe(1)
  })
})

describe('automine off after a start with it', () => {
  holdWallTime()

  /** What runs by itself. */
  function running({ clocks: { instant, collecting, ticks, seals } }: TestChain): string[] {
    const all = { instant, collecting, ticks: ticks.running, seals: seals.running }
    return Object.entries(all).flatMap(([name, isOn]) => (isOn ? [name] : []))
  }

  test('on again under a freeze, ticks and time run', async () => {
    const node = await createInstant({ frozenTicks: false, instant: true })
    await node.clocks.setAutomine(false)
    await node.clocks.freeze()
    expect(running(node)).toEqual([])
    await node.clocks.setAutomine(true)
    expect(running(node)).toEqual(['instant', 'ticks'])
    await pass(node, 1_000)
    expect(node.clocks.now).toBe((START + 1) * 1000)
  })

  test('turned off under a freeze, ticks stop, and stay so with an interval', async () => {
    const node = await createInstant({ frozenTicks: false, instant: true })
    await node.clocks.freeze()
    expect(running(node)).toEqual(['ticks'])
    await node.clocks.setAutomine(false)
    expect(running(node)).toEqual([])
    await node.clocks.setSealInterval(1_000)
    expect(running(node)).toEqual(['collecting', 'seals'])
    await node.clocks.resume()
    expect(running(node)).toEqual(['ticks', 'seals'])
  })

  test('ticks that a freeze stopped stay stopped until resume', async () => {
    const node = await createInstant({ frozenTicks: false, instant: true })
    await node.clocks.freeze({ ticks: true })
    for (let round = 0; round < 2; round++) {
      await node.clocks.setAutomine(false)
      await node.clocks.setSealInterval(1_000)
      expect(running(node)).toEqual(['collecting', 'seals'])
      await node.clocks.setAutomine(true)
      expect(running(node)).toEqual(['instant', 'seals'])
    }
    await node.clocks.setSealInterval(undefined)
    const { now } = node.clocks
    await pass(node, 1_000)
    expect(node.clocks.now).toBe(now)
    await node.clocks.resume()
    expect(running(node)).toEqual(['instant', 'ticks'])
  })

  test('what waits is sealed with the next one, and time stands again', async () => {
    const node = await createInstant({ instant: true })
    await node.clocks.setAutomine(false)
    await send(node, 0)
    await node.clocks.setAutomine(true, { keepsWaiting: true })
    expect(running(node)).toEqual(['instant', 'collecting'])
    await send(node, 1)
    expect(blocks(node).map(([, ...hashes]) => hashes.length)).toEqual([2])
    expect(running(node)).toEqual(['instant'])
    const { now } = node.clocks
    await pass(node, 1_000)
    expect(node.clocks.now).toBe(now)
  })

  test('a snapshot holds it, and what a freeze stopped', async () => {
    const node = await createInstant({ frozenTicks: false, instant: true })
    await node.clocks.setAutomine(false)
    await node.clocks.freeze()
    const restore = node.clocks.snapshot()
    await node.clocks.resume()
    await node.clocks.freeze({ ticks: true })
    restore()
    await node.clocks.setAutomine(true)
    expect(running(node)).toEqual(['instant', 'ticks'])
  })
})

test('while time stands, equal commands give equal hashes', async () => {
  const run = async () => {
    const node = await createInstant()
    for (let nonce = 0; nonce < 3; nonce++) await send(node, nonce)
    await node.clocks.increaseTime(60)
    await send(node, 3)
    return node.chain.head.hash
  }
  expect(await run()).toBe(await run())
})
