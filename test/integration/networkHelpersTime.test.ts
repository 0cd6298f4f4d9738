import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createProject, type Project } from './hardhat/project.ts'
import {
  createStage,
  ETHER,
  modes,
  NOBODY,
  openProject,
  type Stage,
} from './networkHelpers/stage.ts'

let project: Project
let hre: HardhatRuntimeEnvironment

beforeAll(async () => {
  project = createProject()
  hre = await openProject(project)
})
afterAll(() => project[Symbol.dispose]())

describe.each(modes)('%s', (mode) => {
  let stage: Stage

  beforeEach(async () => {
    stage = await createStage(hre, mode)
  })
  afterEach(() => stage[Symbol.asyncDispose]())

  describe('time', () => {
    test('default: latest and latestBlock', async () => {
      const { helpers, block } = stage
      expect(await helpers.time.latestBlock()).toBe(0)
      expect(await helpers.time.latest()).toBe(1_800_000_000)
      await helpers.mine(2)
      expect(await helpers.time.latestBlock()).toBe(2)
      expect(await helpers.time.latest()).toBe(Number((await block('latest')).timestamp))
    })

    test('default: increase, to the second', async () => {
      const { helpers } = stage
      const before = await helpers.time.latest()
      expect(await helpers.time.increase(100)).toBe(before + 100)
      expect(await helpers.time.increase(1)).toBe(before + 101)
      expect(await helpers.time.increase(helpers.time.duration.days(365))).toBe(
        before + 101 + 31_536_000,
      )
      expect(await helpers.time.latestBlock()).toBe(3)
      await expect(helpers.time.increase(0)).rejects.toThrow('equal to the previous block')
    })

    test('default: increaseTo, not back', async () => {
      const { helpers } = stage
      await helpers.time.increaseTo(1_900_000_000)
      expect(await helpers.time.latest()).toBe(1_900_000_000)
      await helpers.time.increaseTo(new Date(2_000_000_000_000))
      expect(await helpers.time.latest()).toBe(2_000_000_000)
      await expect(helpers.time.increaseTo(2_000_000_000)).rejects.toThrow('equal to the previous')
      await expect(helpers.time.increaseTo(1_900_000_000)).rejects.toThrow(
        'lower than the previous',
      )
      expect(await helpers.time.latestBlock()).toBe(2)
    })

    test('default: setNextBlockTimestamp, which seals nothing', async () => {
      const { helpers, rpc, block, send } = stage
      await helpers.time.setNextBlockTimestamp(1_850_000_000)
      expect(await helpers.time.latestBlock()).toBe(0)
      const hash = await send({})
      if (mode === 'clocks') await helpers.mine()
      expect(await rpc('eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x1' })
      expect(Number((await block('0x1')).timestamp)).toBe(1_850_000_000)
      await helpers.mine()
      expect(await helpers.time.latest()).toBeGreaterThan(1_850_000_000)
      await expect(helpers.time.setNextBlockTimestamp(1)).rejects.toThrow('lower than the previous')
    })
  })

  describe('snapshots', () => {
    test('default: takeSnapshot, restored twice', async () => {
      const { helpers, rpc, send, account } = stage
      await helpers.mine(2)
      const snapshot = await helpers.takeSnapshot()
      for (let round = 0; round < 2; round++) {
        await helpers.setBalance(NOBODY, 5)
        await send({})
        await helpers.mine(3)
        await snapshot.restore()
        expect(await helpers.time.latestBlock()).toBe(2)
        expect(await rpc('eth_getBalance', NOBODY)).toBe('0x0')
        expect(await rpc('eth_getTransactionCount', account, 'pending')).toBe('0x0')
      }
    })

    test('the mempool comes back, and one that was reverted over is gone', async () => {
      const { helpers, rpc, send } = stage
      // In instant mode nothing can wait, as on hardhat node.
      await rpc('evm_setAutomine', false)
      const waiting = await send({ nonce: '0x5' })
      const first = await helpers.takeSnapshot()
      await helpers.mine()
      const second = await helpers.takeSnapshot()
      await helpers.dropTransaction(waiting)
      await first.restore()
      expect(await rpc('eth_getTransactionByHash', waiting)).toMatchObject({ nonce: '0x5' })
      await expect(second.restore()).rejects.toThrow(/snapshot/i)
    })

    test('what is set for the next block, time and impersonations come back', async () => {
      const { helpers, block, send } = stage
      await helpers.impersonateAccount(NOBODY)
      await helpers.setBalance(NOBODY, ETHER)
      await helpers.setNextBlockBaseFeePerGas(77)
      await helpers.time.setNextBlockTimestamp(1_850_000_000)
      const snapshot = await helpers.takeSnapshot()
      await helpers.stopImpersonatingAccount(NOBODY)
      await helpers.mine(2)
      await helpers.time.increase(1_000_000)
      await snapshot.restore()
      await helpers.mine()
      const { timestamp, baseFeePerGas } = await block('latest')
      expect([Number(timestamp), Number(baseFeePerGas)]).toEqual([1_850_000_000, 77])
      expect(await send({ from: NOBODY })).toMatch(/^0x/)
    })

    test('default: loadFixture', async () => {
      const { helpers, rpc } = stage
      let runs = 0
      async function poor() {
        runs++
        await helpers.setBalance(NOBODY, 1)
        return { runs }
      }
      async function rich() {
        await helpers.setBalance(NOBODY, 1000)
        await helpers.mine()
      }
      expect(await helpers.loadFixture(poor)).toEqual({ runs: 1 })
      await helpers.setBalance(NOBODY, 50)
      await helpers.loadFixture(rich)
      expect(await helpers.loadFixture(poor)).toEqual({ runs: 1 })
      expect(await rpc('eth_getBalance', NOBODY)).toBe('0x1')
      expect(await helpers.time.latestBlock()).toBe(0)
      await helpers.loadFixture(rich)
      expect(await rpc('eth_getBalance', NOBODY)).toBe('0x3e8')
      expect(await helpers.time.latestBlock()).toBe(1)
      await expect(helpers.loadFixture(async () => undefined)).rejects.toThrow(
        'Anonymous functions',
      )
    })

    test('default: clearSnapshots: fixtures run anew', async () => {
      const { helpers } = stage
      let runs = 0
      async function fixture() {
        runs++
      }
      await helpers.loadFixture(fixture)
      await helpers.loadFixture(fixture)
      expect(runs).toBe(1)
      helpers.clearSnapshots()
      await helpers.loadFixture(fixture)
      expect(runs).toBe(2)
    })

    test('a fixture whose snapshot the node has lost says so', async () => {
      const { helpers, rpc } = stage
      async function fixture() {
        await helpers.mine()
      }
      await helpers.loadFixture(fixture)
      await rpc('hardhat_reset')
      await expect(helpers.loadFixture(fixture)).rejects.toThrow('reverting the snapshot')
    })
  })

  test('default: duration', () => {
    const { helpers } = stage
    const { duration } = helpers.time
    expect([
      duration.years(1),
      duration.weeks(1),
      duration.days(1),
      duration.hours(1),
      duration.minutes(1),
      duration.seconds(1),
      duration.millis(1500),
    ]).toEqual([31_536_000, 604_800, 86_400, 3_600, 60, 1, 1])
  })
})
