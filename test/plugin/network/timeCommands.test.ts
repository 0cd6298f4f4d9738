import { hexToNumber, numberToHex } from 'viem'
import { describe, expect } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import type { Witnessed } from '../../support/witness.ts'
import { onEveryNetwork, onOwnNetworks, onUnsealed, type Stage, WITNESS } from './everyNetwork.ts'

const DAY = 86_400
const CLOCK: Hex = `0x${'c1'.repeat(20)}`
const LOCK: Hex = `0x${'10'.repeat(20)}`

describe('time', () => {
  onEveryNetwork('time.increase after a write, by a day and by 1 s', async (stage) => {
    const { time } = stage.connection.networkHelpers
    for (const seconds of [DAY, 1]) {
      const { timestamp, number, hash } = await stage.written(await stage.write())
      expect(await time.latest()).toBe(timestamp)
      expect(await time.increase(seconds)).toBe(timestamp + seconds)
      expect(await stage.block(number)).toMatchObject({ timestamp, transactions: [hash] })
      expect(await stage.block('latest')).toMatchObject({
        number: number + 1,
        timestamp: timestamp + seconds,
        transactions: [],
      })
    }
    const last = await stage.written(await stage.write())
    expect(last.timestamp).toBeGreaterThan((await stage.block(last.number - 1)).timestamp)
  })

  onOwnNetworks('time.increase after writes that are not awaited', async (stage) => {
    const { time } = stage.connection.networkHelpers
    const writes = [stage.write(), stage.write({ from: stage.account(1) })]
    const increased = await time.increase(1)
    const [, last] = await Promise.all(writes.map(async (one) => stage.written(await one)))
    expect(last?.count).toBe(1n)
    expect(increased).toBe((last?.timestamp ?? 0) + 1)
    expect(await stage.block('latest')).toMatchObject({
      number: (last?.number ?? 0) + 1,
      timestamp: increased,
      transactions: [],
    })
  })

  onEveryNetwork('time.increaseTo after a write, to a day and to 1 s later', async (stage) => {
    const { time } = stage.connection.networkHelpers
    for (const seconds of [DAY, 1]) {
      const { timestamp, number, hash } = await stage.written(await stage.write())
      await time.increaseTo(timestamp + seconds)
      expect(await time.latest()).toBe(timestamp + seconds)
      expect(await stage.block(number)).toMatchObject({ timestamp, transactions: [hash] })
      expect(await stage.block('latest')).toMatchObject({
        number: number + 1,
        timestamp: timestamp + seconds,
        transactions: [],
      })
    }
  })

  onEveryNetwork(
    'time.increaseTo the time of the write is refused, and seals nothing',
    async (stage) => {
      const { time } = stage.connection.networkHelpers
      const { timestamp, number } = await stage.written(await stage.write())
      const head = await stage.block('latest')
      for (const early of [timestamp, timestamp - 1]) {
        const late = `a timestamp after ${timestamp}|lower than|equal to the previous`
        await expect(time.increaseTo(early)).rejects.toThrow(new RegExp(late))
      }
      expect(await stage.block('latest')).toEqual(head)
      expect((await stage.written(await stage.write())).number).toBe(
        stage.isInstant ? number + 1 : number,
      )
    },
  )

  onEveryNetwork('evm_increaseTime after a write, then reads and an estimate', async (stage) => {
    const { connection } = stage
    const { networkHelpers, viem, rpc } = connection
    const client = await viem.getPublicClient()
    // Returns TIMESTAMP.
    await networkHelpers.setCode(CLOCK, '0x425f5260205ff3')
    // Reverts while TIMESTAMP is below slot 0.
    await networkHelpers.setCode(LOCK, '0x5f544210600857005b5f5ffd')
    const start = performance.now()
    const { timestamp, number } = await stage.written(await stage.write())
    const now = async (blockTag?: 'pending') =>
      hexToNumber((await client.call({ to: CLOCK, ...(blockTag && { blockTag }) })).data ?? '0x')
    expect(await now()).toBe(timestamp)
    await networkHelpers.setStorageAt(LOCK, 0, timestamp + DAY)
    const withdraw = { account: stage.account(0), to: LOCK, blockTag: 'pending' } as const
    await expect(client.estimateGas(withdraw)).rejects.toThrow(/revert/)
    await rpc('evm_increaseTime', numberToHex(DAY))
    const after = await now('pending')
    if (stage.isInstant) {
      // Time has gone on since the write.
      const passed = Math.ceil((performance.now() - start) / 1000)
      expect(after).toBeGreaterThanOrEqual(timestamp + DAY)
      expect(after).toBeLessThanOrEqual(timestamp + DAY + passed + 1)
    } else {
      expect(after).toBe(timestamp + DAY)
      expect(await now()).toBe(after)
    }
    expect(await client.estimateGas(withdraw)).toBeGreaterThan(21_000n)
    expect(await stage.block('latest')).toMatchObject({ number, timestamp })
    const next = await stage.written(await stage.write())
    expect(next.number).toBe(number + 1)
    expect(next.timestamp).toBeGreaterThanOrEqual(after)
    const withdrawn = await connection.send({ to: LOCK })
    expect(await stage.receipt(withdrawn)).toMatchObject({ status: '0x1' })
  })
})

/** Commands that choose something of the next block, and how the witness sees it. */
const choices = ({ connection }: Stage, timestamp: number) => {
  const { networkHelpers: helpers } = connection
  const later = timestamp + DAY
  return [
    [() => helpers.time.setNextBlockTimestamp(later), { timestamp: later }],
    [() => helpers.setNextBlockBaseFeePerGas(123_456_789n), { baseFee: 123_456_789n }],
    [() => helpers.setPrevRandao(42), { prevRandao: numberToHex(42, { size: 32 }) }],
    [() => helpers.setCoinbase(COINBASE), { coinbase: COINBASE }],
    [() => helpers.setBlockGasLimit(20_000_000n), { gasLimit: 20_000_000n }],
  ] as const
}
const COINBASE: Hex = `0x${'c0'.repeat(20)}`

describe('environment', () => {
  onEveryNetwork('each choice alone, between two writes', async (stage) => {
    for (let index = 0; index < 5; index++) {
      const first = await stage.written(await stage.write())
      const [choose, chosen] = choices(stage, first.timestamp)[index] ?? []
      await choose?.()
      expect(await stage.block('latest')).toMatchObject({ number: first.number })
      const second = await stage.written(await stage.write())
      expect(second).toMatchObject({ ...chosen, number: first.number + 1, count: first.count + 1n })
    }
  })

  onEveryNetwork('all of it, then writes', async (stage) => {
    const first = await stage.written(await stage.write())
    const chosen: Partial<Witnessed> = {}
    for (const [choose, choice] of choices(stage, first.timestamp)) {
      await choose()
      Object.assign(chosen, choice)
    }
    // The write that came before is sealed, and no empty block.
    expect(await stage.block('latest')).toMatchObject({
      number: first.number,
      timestamp: first.timestamp,
      baseFee: first.baseFee,
      prevRandao: first.prevRandao,
      coinbase: first.coinbase,
      gasLimit: first.gasLimit,
      transactions: [first.hash],
    })
    // Hardhat's own network tells no prevRandao of its pending block.
    const { prevRandao: _, ...shown } = chosen
    expect(await stage.block('pending')).toMatchObject(shown)
    const second = await stage.written(await stage.write())
    expect(second).toMatchObject({ ...chosen, number: first.number + 1, count: 1n })
    // The coinbase gets the tip.
    const tip = second.gasUsed * (second.price - second.baseFee)
    expect(tip).toBeGreaterThan(0n)
    await stage.expectAhead((block) => stage.balance(COINBASE, block), 0n, tip)
    await stage.seal()
    expect(await stage.block('latest')).toMatchObject({ ...chosen, transactions: [second.hash] })
    // Coinbase and gas limit are for all blocks, the rest for one.
    const { gasLimit, coinbase } = second
    const third = await stage.written(await stage.write())
    expect(third).toMatchObject({ number: second.number + 1, gasLimit, coinbase })
    expect(third.timestamp).toBeGreaterThan(second.timestamp)
    expect(third.baseFee).toBeLessThan(second.baseFee)
    expect(third.prevRandao).not.toBe(second.prevRandao)
  })

  onOwnNetworks('a choice after a write that is not awaited', async (stage) => {
    for (let index = 0; index < 5; index++) {
      const before = await stage.block('pending')
      const write = stage.write()
      const [choose, chosen] = choices(stage, before.timestamp)[index] ?? []
      await choose?.()
      const first = await stage.written(await write)
      expect(first).not.toMatchObject(chosen ?? {})
      const second = await stage.written(await stage.write())
      expect(second).toMatchObject({ ...chosen, number: first.number + 1 })
    }
  })
})

describe('mining', () => {
  onEveryNetwork('mine with an interval after a write', async (stage) => {
    const { mine, time } = stage.connection.networkHelpers
    const { number, timestamp, hash } = await stage.written(await stage.write())
    const head = await time.latestBlock()
    await mine(3, { interval: 60 })
    expect(await time.latestBlock()).toBe(head + 3)
    expect(await stage.block(number)).toMatchObject({ timestamp, transactions: [hash] })
    const { timestamp: first } = await stage.block(head + 1)
    expect(await stage.block(head + 2)).toMatchObject({ timestamp: first + 60, transactions: [] })
    expect(await stage.block('latest')).toMatchObject({ timestamp: first + 120, transactions: [] })
    const next = await stage.written(await stage.write())
    expect(next.number).toBe(head + 4)
    expect(next.timestamp).toBeGreaterThan(first + 120)
  })

  onOwnNetworks('mine takes writes that are not awaited into its first block', async (stage) => {
    const { mine, time } = stage.connection.networkHelpers
    const head = await time.latestBlock()
    const writes = [stage.write(), stage.write({ from: stage.account(1) })]
    await mine(2, { interval: 10 })
    const [first, last] = await Promise.all(writes.map(async (one) => stage.written(await one)))
    // Where each one is sealed at once, they have blocks of their own before it.
    expect([first?.number, last?.number]).toEqual(
      stage.isInstant ? [head + 1, head + 2] : [head + 1, head + 1],
    )
    expect(await time.latestBlock()).toBe(stage.isInstant ? head + 4 : head + 2)
  })

  onEveryNetwork('mineUpTo after a write', async (stage) => {
    const { mineUpTo, time } = stage.connection.networkHelpers
    const { number, timestamp, hash } = await stage.written(await stage.write())
    await mineUpTo(number + 5)
    expect(await time.latestBlock()).toBe(number + 5)
    expect(await stage.block(number)).toMatchObject({ timestamp, transactions: [hash] })
    expect((await stage.block('latest')).timestamp).toBeGreaterThanOrEqual(timestamp + 5)
    await expect(mineUpTo(number + 5)).rejects.toThrow(/block number/i)
    expect(await stage.written(await stage.write())).toMatchObject({
      number: number + 6,
      count: 1n,
    })
  })
})

describe('automine off', () => {
  /** Sends by three accounts, of which the first sends twice. */
  const sends = async (stage: Stage) => {
    const hashes: Hex[] = []
    for (const from of [0, 1, 2, 0]) {
      hashes.push(await stage.write({ from: stage.account(from), value: '0x1' }))
    }
    return hashes
  }

  onEveryNetwork('sends, a chosen timestamp, mine', async (stage) => {
    const { rpc, networkHelpers, pendingNode } = stage.connection
    const head = await stage.block('latest')
    await rpc('evm_setAutomine', false)
    const later = (await stage.block('pending')).timestamp + DAY
    const hashes = await sends(stage)
    // `pending` has them in either case.
    expect(await stage.nonce(stage.account(0))).toBe(2)
    expect([await stage.count(), await stage.balance(WITNESS)]).toEqual([4n, 4n])
    expect(await stage.block('pending')).toMatchObject({ transactions: hashes })
    expect([await stage.nonce(stage.account(0), 'latest'), await stage.count('latest')]).toEqual([
      0,
      0n,
    ])
    const receipts = () => Promise.all(hashes.map((hash) => stage.receipt(hash)))
    if (stage.isInstant) {
      expect(await receipts()).toEqual([null, null, null, null])
      await networkHelpers.time.setNextBlockTimestamp(later)
      await networkHelpers.setNextBlockBaseFeePerGas(123_456_789n)
      await networkHelpers.setStorageAt(WITNESS, 0, 10)
      expect(await receipts()).toEqual([null, null, null, null])
      expect(await stage.block('latest')).toEqual(head)
      await networkHelpers.mine()
      const chosen = { number: head.number + 1, timestamp: later, baseFee: 123_456_789n }
      expect(await stage.block('latest')).toMatchObject({ ...chosen, transactions: hashes })
      for (const [index, hash] of hashes.entries()) {
        expect(await stage.written(hash)).toMatchObject({ ...chosen, count: 10n + BigInt(index) })
      }
      await rpc('evm_setAutomine', true)
      const next = await stage.written(await stage.write())
      expect(next.number).toBe(head.number + 2)
      return
    }
    // They are pre-confirmed, and the choice is for the block behind theirs.
    const written = await Promise.all(hashes.map((hash) => stage.written(hash)))
    expect(written.map(({ count }) => count)).toEqual([0n, 1n, 2n, 3n])
    await networkHelpers.time.setNextBlockTimestamp(later)
    expect(await stage.block('latest')).toMatchObject({
      number: head.number + 1,
      timestamp: written[0]?.timestamp,
      transactions: hashes,
    })
    await networkHelpers.mine()
    expect(await stage.block('latest')).toMatchObject({
      number: head.number + 2,
      timestamp: later,
      transactions: [],
    })
    expect((await pendingNode.status()).sealing.running).toBe(false)
    await stage.restoreClocks()
  })

  onUnsealed('as with ticks frozen: sends, a chosen timestamp, mine', async (stage) => {
    const { networkHelpers, pendingNode } = stage.connection
    const head = await stage.block('latest')
    await pendingNode.freeze({ ticks: true })
    const later = (await stage.block('pending')).timestamp + DAY
    const hashes = await sends(stage)
    expect([await stage.count(), await stage.nonce(stage.account(0))]).toEqual([0n, 0])
    await networkHelpers.time.setNextBlockTimestamp(later)
    expect(await stage.block('latest')).toEqual(head)
    await networkHelpers.mine()
    const chosen = { number: head.number + 1, timestamp: later }
    expect(await stage.block('latest')).toMatchObject({ ...chosen, transactions: hashes })
    for (const [index, hash] of hashes.entries()) {
      expect(await stage.written(hash)).toMatchObject({ ...chosen, count: BigInt(index) })
    }
    await stage.restoreClocks()
  })
})
