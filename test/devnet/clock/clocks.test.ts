import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test, vi } from 'vitest'
import { createForkedBase } from '../../../devnet/chain/forkedBase.ts'
import { addressKeyFromHex } from '../../../devnet/state/keys.ts'
import { RemoteLayer } from '../../../devnet/state/remote/remoteLayer.ts'
import { UpstreamError } from '../../../devnet/state/remote/remoteSource.ts'
import { createTestChain, START, type TestChain } from '../../support/chain.ts'
import { MemorySource } from '../../support/memorySource.ts'
import { holdWallTime, pass } from './wallTime.ts'

const RECIPIENT = '0x00000000000000000000000000000000000000cc'

async function send(node: TestChain, nonce: number): Promise<void> {
  const [account] = node.accounts
  if (account === undefined) throw new Error('No accounts')
  await node.send(
    await privateKeyToAccount(account.privateKey).signTransaction({
      type: 'eip1559',
      chainId: 31337,
      nonce,
      to: RECIPIENT,
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
    }),
  )
}

const balance = ({ chain }: TestChain, where: 'latest' | 'pending') => {
  const state = where === 'pending' ? chain.pending.state : chain.store.view(chain.head.version)
  return state.account(addressKeyFromHex(RECIPIENT))?.balance ?? 0n
}

const timestamps = ({ chain }: TestChain) =>
  Array.from(
    { length: chain.head.number },
    (_, index) => Number(chain.history.byNumber(index + 1)?.header.timestamp) - START,
  )

describe('both frozen', () => {
  test('default: nothing happens and time stands', async () => {
    const node = await createTestChain()
    await send(node, 0)
    expect(node.chain.pending.executed).toEqual([])
    expect(node.clocks.now).toBe(START * 1000)
  })

  test('args: ticks: visible in pending, not in latest', async () => {
    const node = await createTestChain()
    await send(node, 0)
    await node.clocks.advanceTicks(1)
    expect([balance(node, 'pending'), balance(node, 'latest')]).toEqual([1n, 0n])
    expect(node.clocks.now).toBe(START * 1000 + 200)
    expect(node.chain.head.number).toBe(0)
  })

  test('args: blocks: a tick, a seal, one seal interval each', async () => {
    const node = await createTestChain()
    await send(node, 0)
    await node.clocks.advanceBlocks(3)
    expect(node.chain.head.number).toBe(3)
    expect(timestamps(node)).toEqual([2, 4, 6])
    expect(node.clocks.now).toBe(START * 1000 + 6_000)
    expect(node.chain.history.byNumber(1)?.executed.length).toBe(1)
    expect(balance(node, 'latest')).toBe(1n)
  })

  test('seal takes the pending block as it is, without a tick', async () => {
    const node = await createTestChain()
    await send(node, 0)
    await node.clocks.seal()
    expect(node.chain.head.executed).toEqual([])
    expect(node.chain.mempool.runnableCount).toBe(1)
  })

  test('seals at one moment have rising timestamps', async () => {
    const node = await createTestChain()
    for (let index = 0; index < 3; index++) await node.clocks.seal()
    expect(timestamps(node)).toEqual([2, 3, 4])
  })

  test('equal timestamps where seals are less than a second apart', async () => {
    const node = await createTestChain({ sealInterval: 250 })
    await node.clocks.advanceBlocks(5)
    expect(timestamps(node)).toEqual([0, 0, 0, 1, 1])
  })

  test('equal commands give equal hashes', async () => {
    const run = async () => {
      const node = await createTestChain()
      await send(node, 0)
      await node.clocks.advanceTicks(2)
      await send(node, 1)
      await node.clocks.advanceBlocks(2)
      await node.clocks.seal()
      return node.chain.head.hash
    }
    expect(await run()).toBe(await run())
  })

  test('the timestamp that was asked for, and time goes there', async () => {
    const node = await createTestChain()
    await send(node, 0)
    await node.clocks.advanceTicks(1)
    await node.clocks.setNextTimestamp(START + 1000)
    // What was pre-confirmed is sealed at the time that it has shown.
    expect(timestamps(node)).toEqual([2])
    expect(node.chain.head.executed.length).toBe(1)
    expect(node.chain.pending.environment.timestamp).toBe(BigInt(START + 1000))
    await node.clocks.seal()
    expect(node.clocks.now).toBe((START + 1000) * 1000)
    await node.clocks.seal()
    expect(timestamps(node)).toEqual([2, 1000, 1002])
  })

  test('a timestamp in the past is refused and changes nothing', async () => {
    const node = await createTestChain()
    await node.clocks.seal()
    const before = node.chain.pending
    await expect(node.clocks.setNextTimestamp(START + 2)).rejects.toThrow(
      `Timestamp ${START + 2} is equal to the previous block's timestamp`,
    )
    expect(node.chain.pending).toBe(before)
  })

  test('a timestamp not after that of what is pre-confirmed is refused, and seals nothing', async () => {
    const node = await createTestChain()
    await send(node, 0)
    await node.clocks.advanceTicks(1)
    const before = node.chain.pending
    const message = `block 1 holds a pre-confirmed transaction at ${START + 2}: want a timestamp after ${START + 2}`
    await expect(node.clocks.setNextTimestamp(START + 2)).rejects.toThrow(message)
    await expect(node.clocks.setTime(START + 1)).rejects.toThrow(message)
    await expect(node.clocks.tickAndSeal(1, { timestamp: START + 2 })).rejects.toThrow(message)
    expect(node.chain.pending).toBe(before)
    await node.clocks.setNextTimestamp(START + 3)
    await node.clocks.seal()
    expect(timestamps(node)).toEqual([2, 3])
  })

  test('time moved by seconds, twice, under a pre-confirmed transaction', async () => {
    const node = await createTestChain()
    await send(node, 0)
    await node.clocks.advanceTicks(1)
    expect(
      await Promise.all([node.clocks.increaseTime(100), node.clocks.increaseTime(11)]),
    ).toEqual([100, 111])
    expect(node.clocks.now).toBe((START + 111) * 1000 + 200)
    // The first move sealed the transaction where it was; the second one moved an empty block.
    expect(node.chain.head.executed.length).toBe(1)
    await node.clocks.seal()
    await node.clocks.seal()
    expect(timestamps(node)).toEqual([2, 113, 114])
  })

  test('a refused cheat changes nothing', async () => {
    const node = await createTestChain()
    await send(node, 0)
    await node.clocks.advanceTicks(1)
    const before = node.chain.pending
    const refused = node.clocks.choose(
      (writer) => writer.overrideNext({ baseFeePerGas: 1n }),
      () => {
        throw new Error('no')
      },
    )
    await expect(refused).rejects.toThrow('no')
    expect(node.chain.pending).toBe(before)
    expect(balance(node, 'pending')).toBe(1n)
  })

  test('many blocks at a given distance', async () => {
    const node = await createTestChain()
    await node.clocks.tickAndSeal(4, { interval: 60 })
    expect(timestamps(node)).toEqual([2, 62, 122, 182])
    await node.clocks.seal()
    expect(timestamps(node).at(-1)).toBe(184)
  })
})

describe('running', () => {
  holdWallTime()

  test('default: a tick every 200 ms, a seal every 2,000 ms', async () => {
    const node = await createTestChain({ frozenTicks: false })
    await node.engine.executor()
    await send(node, 0)
    await pass(node, 150)
    expect(balance(node, 'pending')).toBe(0n)
    await pass(node, 50)
    expect([balance(node, 'pending'), balance(node, 'latest')]).toEqual([1n, 0n])
    await pass(node, 1_750)
    expect(node.chain.head.number).toBe(0)
    await pass(node, 50)
    expect(node.chain.head.number).toBe(1)
    expect(balance(node, 'latest')).toBe(1n)
    await pass(node, 4_000)
    expect(timestamps(node)).toEqual([2, 4, 6])
    node.clocks.stop()
  })

  test('sealing frozen: transactions become visible and stay unsealed; resume goes on', async () => {
    const node = await createTestChain({ frozenTicks: false })
    await node.engine.executor()
    await pass(node, 500)
    await node.clocks.freeze()
    await send(node, 0)
    await pass(node, 10_000)
    expect([balance(node, 'pending'), node.chain.head.number]).toEqual([1n, 0])
    expect(node.clocks.now).toBe(START * 1000 + 10_500)
    await node.clocks.resume()
    await pass(node, 1_450)
    expect(node.chain.head.number).toBe(0)
    await pass(node, 50)
    expect(node.chain.head.number).toBe(1)
    // Fixed when the block opened: sealing late does not change it.
    expect(timestamps(node)).toEqual([2])
    node.clocks.stop()
  })

  test('both frozen, then resumed: time did not jump', async () => {
    const node = await createTestChain({ frozenTicks: false })
    await pass(node, 300)
    await node.clocks.freeze({ ticks: true })
    await pass(node, 60_000)
    expect(node.clocks.now).toBe(START * 1000 + 300)
    expect(node.chain.pending.ticks).toBe(1)
    await node.clocks.resume()
    await pass(node, 100)
    expect(node.chain.pending.ticks).toBe(2)
    node.clocks.stop()
  })

  test('advance works while running and seals what is due', async () => {
    const node = await createTestChain({ frozenTicks: false })
    await node.clocks.advanceTicks(9)
    expect(node.chain.head.number).toBe(0)
    await node.clocks.advanceTicks(1)
    expect(node.chain.head.number).toBe(1)
    await pass(node, 200)
    expect(node.chain.pending.ticks).toBe(1)
    node.clocks.stop()
  })

  test('args: tickInterval 0: executed on arrival', async () => {
    const node = await createTestChain({ frozenTicks: false, tickInterval: 0 })
    await node.engine.executor()
    await send(node, 0)
    await node.chain.write(() => undefined)
    expect(balance(node, 'pending')).toBe(1n)
    node.clocks.stop()
  })

  test('a late clock ticks once, not once for each missed interval', async () => {
    const node = await createTestChain({ frozenTicks: false })
    vi.setSystemTime(Date.now() + 1_150)
    await pass(node, 250)
    expect(node.chain.pending.ticks).toBe(2)
    node.clocks.stop()
  })
})

describe('seals without a tick before them', () => {
  holdWallTime()

  test('with frozen ticks, an interval takes what waits', async () => {
    const node = await createTestChain()
    await send(node, 0)
    await node.clocks.setSealInterval(1000)
    await pass(node, 1000)
    expect(node.chain.head).toMatchObject({ number: 1, executed: [{ gasUsed: 21_000n }] })
    expect(balance(node, 'latest')).toBe(1n)
    // What is sent later is not shown before its block.
    await send(node, 1)
    await pass(node, 900)
    expect(balance(node, 'pending')).toBe(1n)
    await pass(node, 100)
    expect(balance(node, 'latest')).toBe(2n)
  })

  test('an interval shorter than that of ticks takes what waits, too', async () => {
    const node = await createTestChain({ frozenTicks: false, tickInterval: 400, sealInterval: 100 })
    await send(node, 0)
    await node.clocks.resume()
    await pass(node, 100)
    expect(node.chain.head).toMatchObject({ number: 1, executed: [{ gasUsed: 21_000n }] })
  })
})

describe('load', () => {
  const LATER = { time: { stopped: (START + 5000) * 1000 }, increased: 7, expectedTimestamp: START }

  /** A base whose upstream does not give the account of what waits. */
  async function failingBase({ chain, engine, accounts }: TestChain) {
    const [sender] = accounts
    if (sender === undefined) throw new Error('No accounts')
    const source = new MemorySource(chain.store.view(chain.head.version).retain())
    const key = addressKeyFromHex(sender.address)
    source.faults.set(key, new UpstreamError('HTTP 503', { transient: true }))
    const remote = new RemoteLayer(source, engine.codes)
    const { hashBytes: hash, header, number } = chain.head
    const origin = { chainId: engine.chainId, number, hash, header, remote }
    return { base: await createForkedBase(origin, engine), source }
  }

  test('one that fails leaves chain and clocks alone', async () => {
    const node = await createTestChain()
    const { chain, clocks } = node
    const { base } = await failingBase(node)
    await send(node, 0)
    const { pending, resets } = chain
    const left: number[] = []
    const load = clocks.load(base, LATER, (reset) => {
      reset()
      left.push(chain.head.number)
    })
    await expect(load).rejects.toThrow('HTTP 503')
    expect([clocks.now, clocks.save().increased]).toEqual([START * 1000, 0])
    expect([chain.pending, chain.resets, chain.mempool.size, left]).toEqual([
      pending,
      resets,
      1,
      [],
    ])
    await clocks.advanceBlocks(1)
    expect(timestamps(node)).toEqual([2])
    await clocks.reset()
    expect(clocks.now).toBe(START * 1000)
  })

  test('the chain that is left is reset first, once nothing can fail', async () => {
    const node = await createTestChain()
    const { chain, clocks } = node
    const { base, source } = await failingBase(node)
    source.faults.clear()
    await clocks.advanceBlocks(2)
    const left: number[][] = []
    await clocks.load(base, LATER, (reset) => {
      left.push([chain.head.number, clocks.now / 1000 - START])
      reset()
      left.push([chain.head.number, clocks.now / 1000 - START])
    })
    expect(left).toEqual([
      [2, 4],
      [0, 0],
    ])
    expect([chain.origin, clocks.now]).toEqual([base.origin, LATER.time.stopped])
    await clocks.increaseTime(9)
    await clocks.reset()
    expect(clocks.now).toBe(LATER.time.stopped)
  })
})
