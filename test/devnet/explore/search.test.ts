import { expect, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import { type ExploreContext, explore, type FaultGroup } from '../../../plugin/explore.ts'
import {
  emitted,
  losesLog,
  payCarefully,
  paysTwice,
  received,
  showsEarly,
  sleep,
  trustsNonce,
  waitsForPending,
} from './apps.ts'
import { failureOf } from './failureOf.ts'

test('an app that watches until nothing can happen any more passes under every schedule', async () => {
  const summary = await explore(async (run) => {
    await payCarefully(run)
    expect(await received(run)).toBe(1n)
  })
  expect(summary).toMatchObject({ complete: true, tried: summary.known })
})

/** The newest block, and the time. */
async function statusOf({ devnet }: ExploreContext) {
  const { latest, time } = await devnet.clock.status()
  return { chain: latest.hash, time }
}

const BROKEN: Record<string, [words: RegExp, app: (run: ExploreContext) => Promise<void>]> = {
  'shows success at pre-confirmation': [
    /^the transaction of account #0 with nonce 0 that was pre-confirmed in tick 0 of block 1 was dropped in the tick after it$/,
    async (run) => {
      await showsEarly(run)
      await sleep(12_000)
      expect(await received(run)).toBe(1n)
    },
  ],
  'sends twice if its payment is taken back': [
    /^block 1 was reorganised; then ticks executed nothing from tick 0 of block 2 to its seal$/,
    async (run) => {
      await paysTwice(run)
      await sleep(12_000)
      expect(await received(run)).toBe(1n)
    },
  ],
  'loses a log at a reorganisation': [
    /^block 1 was reorganised$/,
    async (run) => {
      expect(await losesLog(run)).toBe(await emitted(run))
    },
  ],
  'trusts a nonce': [
    /^blocks 1 and 2 were reorganised, their transactions dropped$/,
    async (run) => {
      await trustsNonce(run)
      await sleep(12_000)
      expect(await received(run)).toBe(1n)
    },
  ],
  'hangs on a stalled pending block': [
    /^ticks executed nothing from tick 0 of block 1 to its seal$/,
    (run) => waitsForPending(run),
  ],
}

test.each(Object.entries(BROKEN).map(([name, [words, app]]) => ({ name, words, app })))(
  'finds that an app $name, and plays that again from its file',
  async ({ words, app }) => {
    const error = await failureOf(explore(app))
    expect(error.schedule).toMatch(words)
    const again = await failureOf(explore(app, { replay: error.file }))
    expect(again).toMatchObject({ message: error.message, script: error.script })
  },
)

test('the saved file makes a node fail as its run did', async () => {
  const [, app] = BROKEN['shows success at pre-confirmation'] ?? []
  const { file } = await failureOf(explore(app ?? expect.fail()))
  await using devnet = createDevnet({ port: 0, frozen: true, frozenTicks: true, faults: file })
  await devnet.start()
  const from = devnet.accounts[0]?.address
  const params = [{ from, to: from }]
  const hash = await devnet.provider.request({ method: 'eth_sendTransaction', params })
  await devnet.clock.advance({ ticks: 2 })
  const { dropped, faults } = await devnet.clock.status()
  expect(dropped).toMatchObject([{ hash, preconfirmed: true }])
  expect(faults?.rules).toMatchObject([{ kind: 'drop', fired: 1 }])
})

test('equal searches give equal results, run for run', async () => {
  const seen = async (seed: number) => {
    const answers: unknown[] = []
    const summary = await explore(
      async (run) => {
        await Promise.all([payCarefully(run), payCarefully(run, 1)])
        const { chain, time } = await statusOf(run)
        answers.push(chain, time, Date.now())
      },
      { maxRuns: 60, seed },
    )
    return { answers, summary }
  }
  const first = await seen(3)
  expect(first.answers.length).toBe(180)
  expect(await seen(3)).toEqual(first)
  expect(await seen(4)).not.toEqual(first)
})

test('a search ends after a number of runs, or in time, and says how much it has tried', async () => {
  const app = (run: ExploreContext) => payCarefully(run)
  const few = await explore(app, { maxRuns: 5 })
  expect(few).toMatchObject({ runs: 5, tried: 4, complete: false })
  expect(few.known).toBeGreaterThan(few.tried)
  const soon = await explore(() => new Promise(() => undefined), { time: 1 })
  expect(soon).toMatchObject({ runs: 1, tried: 0, complete: false })
})

test('a test that fails without a fault is no find', async () => {
  const error = await failureOf(
    explore(() => {
      throw new Error('always')
    }),
  )
  expect(error.message).toBe('The test fails without a fault: always')
  expect(error).toMatchObject({ cause: { message: 'always' }, file: undefined })
})

test('options out of range are refused', async () => {
  await expect(explore(() => undefined, { depth: 0 })).rejects.toThrow(
    'explore: depth: want an integer of at least 1',
  )
  // As JavaScript may pass anything.
  const faults = ['seals'] as unknown as FaultGroup[]
  await expect(explore(() => undefined, { faults })).rejects.toThrow(
    'explore: faults: want some of blocks, answers, stream, sockets',
  )
})

test('the test cannot set other faults', async () => {
  const error = await failureOf(explore(({ devnet }) => devnet.faults({ rules: [] })))
  expect(error.message).toContain('explore sets the faults of its runs')
})
