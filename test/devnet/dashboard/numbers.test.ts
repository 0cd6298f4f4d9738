import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { sourceOf } from '../../support/contractSource.ts'
import { artifact } from '../../support/solidity.ts'
import { ALICE, BOB, startDashboard, type TestDashboard } from './support.ts'

const { abi, bytecode } = artifact('Bazaar')

/** The beginning of a second. */
const START = 1_795_646_338_000

/** A wall clock that stands still until it is told the time. */
function wallClock() {
  const spy = vi.spyOn(Date, 'now').mockReturnValue(START)
  onTestFinished(() => spy.mockRestore())
  return { set: (ms: number) => spy.mockReturnValue(START + ms) }
}

const pay = ({ rpc }: TestDashboard) =>
  rpc('eth_sendTransaction', { from: ALICE, to: BOB, value: '0x1' }) as Promise<Hex>
const tick = ({ rpc }: TestDashboard) => rpc('preconf_advance', { ticks: 1 })
const seal = ({ rpc }: TestDashboard) => rpc('preconf_seal')

describe('numbers', () => {
  test('seconds of the past are told by the first answer', async () => {
    const clock = wallClock()
    const dashboard = await startDashboard({ frozen: true })
    for (let ms = 0; ms < 100; ms++) {
      clock.set(ms)
      await pay(dashboard)
    }
    clock.set(200)
    await tick(dashboard)
    await seal(dashboard)
    clock.set(3_000)
    await pay(dashboard)
    clock.set(3_010)
    await tick(dashboard)
    clock.set(5_500)
    const { rates, ticks, blocks } = await dashboard.ask('numbers', {})
    expect(rates).toHaveLength(120)
    expect(rates.slice(-6)).toEqual([100, 0, 0, 1, 0, 0])
    expect(ticks).toEqual([
      { time: START + 200, transactions: 100, median: 150, most: 195 },
      { time: START + 3_010, transactions: 1, median: 10, most: 10 },
    ])
    expect(blocks).toEqual([
      expect.objectContaining({ number: 0, gasUsed: 0 }),
      expect.objectContaining({ number: 1, gasUsed: 2_100_000, baseFeePerGas: '875000000' }),
    ])
  })

  test('what is older than two minutes is gone from the rates', async () => {
    const clock = wallClock()
    const dashboard = await startDashboard({ frozen: true })
    const counted = async () =>
      (await dashboard.ask('numbers', {})).rates.reduce((sum, rate) => sum + rate, 0)
    await pay(dashboard)
    await tick(dashboard)
    expect(await counted()).toBe(1)
    clock.set(60_000)
    await pay(dashboard)
    await tick(dashboard)
    await seal(dashboard)
    expect(await counted()).toBe(2)
    clock.set(125_000)
    expect(await counted()).toBe(1)
    clock.set(190_000)
    expect(await counted()).toBe(0)
  })

  test('the newest 120 ticks and 60 blocks are told, and ticks at once are one', async () => {
    const clock = wallClock()
    const dashboard = await startDashboard({ frozen: true })
    for (let count = 0; count < 125; count++) {
      clock.set(count * 100)
      await pay(dashboard)
      await tick(dashboard)
      await pay(dashboard)
      clock.set(count * 100 + 40)
      await tick(dashboard)
      if (count > 60) await seal(dashboard)
    }
    const { ticks, blocks } = await dashboard.ask('numbers', {})
    expect(ticks).toHaveLength(120)
    expect(ticks[0]).toEqual({ time: START + 500, transactions: 2, median: 40, most: 40 })
    expect(blocks.map(({ number }) => number)).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 5),
    )
  })
})

describe('gas by function', () => {
  async function startBazaars() {
    const dashboard = await startDashboard({ contracts: sourceOf('Bazaar'), frozen: true })
    const deploy = async () => {
      const data = encodeDeployData({ abi, bytecode, args: ['Grand Bazaar'] })
      const hash = await dashboard.rpc('eth_sendTransaction', { from: ALICE, data })
      await tick(dashboard)
      const receipt = await dashboard.rpc('eth_getTransactionReceipt', hash)
      return (receipt as { contractAddress: Hex }).contractAddress
    }
    const buy = (to: Hex, id: bigint) =>
      dashboard.rpc('eth_sendTransaction', {
        from: BOB,
        to,
        data: encodeFunctionData({ abi, functionName: 'buy', args: [id, 101n] }),
        gas: '0x100000',
      })
    return { ...dashboard, deploy, buy }
  }

  test('calls of each function, with the reverted ones, the most gas first', async () => {
    const bazaars = await startBazaars()
    const bazaar = await bazaars.deploy()
    await bazaars.buy(bazaar, 7n)
    await bazaars.buy(bazaar, 8n)
    await pay(bazaars)
    await tick(bazaars)
    const { rows, ...rest } = await bazaars.ask('gas', {})
    expect(rest).toMatchObject({ counted: 4, left: 0, omitted: 0 })
    expect(rows.map(({ label, calls, reverted, to }) => ({ label, calls, reverted, to }))).toEqual([
      { label: 'Creation', calls: 1, reverted: 0, to: null },
      { label: 'Bazaar.buy', calls: 2, reverted: 2, to: bazaar },
      { label: 'Transfer', calls: 1, reverted: 0, to: null },
    ])
    expect(rows[1]?.gasUsed).toBe((rows[1]?.least ?? 0) + (rows[1]?.most ?? 0))
    expect(rows.at(-1)).toMatchObject({ gasUsed: 21_000, least: 21_000, most: 21_000 })
  })

  test('a later answer adds what is new, and a revert takes away', async () => {
    const bazaars = await startBazaars()
    const bazaar = await bazaars.deploy()
    await seal(bazaars)
    const snapshot = await bazaars.rpc('evm_snapshot')
    const calls = async () =>
      (await bazaars.ask('gas', {})).rows.map((row) => `${row.label} ${row.calls} ${row.to}`)
    expect(await calls()).toEqual(['Creation 1 null'])
    await bazaars.buy(bazaar, 7n)
    await tick(bazaars)
    expect(await calls()).toEqual(['Creation 1 null', `Bazaar.buy 1 ${bazaar}`])
    await bazaars.rpc('evm_revert', snapshot)
    expect(await calls()).toEqual(['Creation 1 null'])
  })

  test('a dropped transaction is not counted, and those behind it once', async () => {
    const dashboard = await startDashboard({ frozen: true })
    const dropped = await pay(dashboard)
    await dashboard.rpc('eth_sendTransaction', { from: BOB, to: ALICE })
    await tick(dashboard)
    const calls = async () => (await dashboard.ask('gas', {})).rows.map((row) => row.calls)
    expect(await calls()).toEqual([2])
    await dashboard.rpc('hardhat_dropTransaction', dropped)
    expect(await calls()).toEqual([1])
  })
})
