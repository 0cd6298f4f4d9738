import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { IntervalRange } from '../../../devnet/clock/intervalTimer.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import { createTestChain, START, type TestChain } from '../../support/chain.ts'
import { holdWallTime, pass } from './wallTime.ts'

/** ms between two transactions. */
const PAUSE = 100

interface Mode {
  readonly name: string
  readonly options: OptionsInput
  /** Whether automine is turned off. */
  readonly isOff?: boolean
}

const MODES: readonly Mode[] = [
  { name: 'two clocks', options: {} },
  { name: 'instant', options: { instant: true } },
  { name: 'automine off', options: { instant: true }, isOff: true },
]

const FAST: readonly IntervalRange[] = [50, 100, 999, [50, 900], [100, 3_000]]
const SLOW: readonly IntervalRange[] = [1_000, [1_000, 1_500]]

/** A chain under way, and what sends to it every {@link PAUSE} ms for a time. */
async function create({ options, isOff = false }: Mode) {
  const node = await createTestChain({ frozenTicks: false, ...options })
  onTestFinished(() => node.clocks.stop())
  await node.engine.executor()
  if (isOff) await node.clocks.setAutomine(false)
  const [account] = node.accounts
  if (account === undefined) throw new Error('A chain has accounts')
  const signer = privateKeyToAccount(account.privateKey)
  let nonce = 0
  async function traffic(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= PAUSE) {
      const fields = { type: 'eip1559', chainId: 31_337, to: signer.address, gas: 21_000n } as const
      const raw = await signer.signTransaction({ ...fields, nonce, maxFeePerGas: 10n ** 11n })
      nonce++
      await node.send(raw)
      await node.clocks.arrivals
      await pass(node, PAUSE)
    }
  }
  return { ...node, traffic }
}

/** Timestamps after the start, in s, of the blocks after `number`. */
const timestamps = ({ chain }: TestChain, number = 0) =>
  chain.history
    .entries()
    .flatMap((entry) => ('header' in entry && entry.number > number ? [entry.header] : []))
    .map(({ timestamp }) => Number(timestamp) - START)

const elapsed = ({ clocks }: TestChain) => clocks.now / 1000 - START

describe.each(MODES)('$name', (mode) => {
  holdWallTime()

  test.each(FAST)(
    'default: with an interval of %j ms, blocks keep to the time of day',
    async (range) => {
      const node = await create(mode)
      await node.clocks.setSealInterval(range)
      await node.traffic(4_000)
      const times = timestamps(node)
      expect(times.length).toBeGreaterThanOrEqual(4_000 / 3_000)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      expect(times.at(-1)).toBeLessThanOrEqual(elapsed(node))
      expect(elapsed(node)).toBe(4)
    },
  )

  test.each(SLOW)('with %j ms after a fast one, a second apart again', async (range) => {
    const node = await create(mode)
    await node.clocks.setSealInterval(100)
    await node.traffic(1_000)
    expect(new Set(timestamps(node)).size).toBeLessThan(node.chain.head.number)
    await node.clocks.setSealInterval(range)
    await node.clocks.seal()
    const { number } = node.chain.head
    await node.traffic(3_000)
    const times = timestamps(node, number)
    expect(times.length).toBeGreaterThan(1)
    expect(new Set(times).size).toBe(times.length)
  })

  test('a chosen time may be that of the newest block, as long as the interval is short', async () => {
    const node = await create(mode)
    await node.clocks.setSealInterval(100)
    await node.traffic(300)
    await node.clocks.seal()
    const latest = Number(node.chain.head.header.timestamp)
    await node.clocks.setNextTimestamp(latest)
    await node.clocks.setSealInterval(5_000)
    await expect(node.clocks.setNextTimestamp(latest)).rejects.toThrow('is equal to the previous')
  })
})

describe('instant', () => {
  holdWallTime()

  test.each([
    ['no interval', undefined],
    ['an option for the clock that does not run', 100],
  ])('with %s, a second apart', async (_, sealInterval) => {
    const options = { instant: true, ...(sealInterval === undefined ? {} : { sealInterval }) }
    const node = await create({ name: '', options })
    await node.traffic(500)
    expect(timestamps(node)).toEqual([1, 2, 3, 4, 5])
  })

  test('with the interval taken away, a second apart again', async () => {
    const node = await create({ name: '', options: { instant: true } })
    await node.clocks.setSealInterval(100)
    await node.traffic(500)
    await node.clocks.setSealInterval(undefined)
    const { number, header } = node.chain.head
    await node.traffic(300)
    const latest = Number(header.timestamp) - START
    expect(timestamps(node, number)).toEqual([latest + 1, latest + 2, latest + 3])
  })
})
