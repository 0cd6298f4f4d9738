import { expect, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import { inProcessTime } from '../../../devnet/primitives/turnTime.ts'
import { type ExploreContext, explore } from '../../../plugin/explore.ts'
import { payCarefully } from './apps.ts'
import { failureOf } from './failureOf.ts'

const request = { method: 'eth_blockNumber' }

/** Ways to ask again and again. */
const LOOPS: Record<string, (run: ExploreContext) => Promise<() => Promise<unknown>>> = {
  'the provider of the app': async ({ provider }) => {
    return () => provider.request(request)
  },
  'the provider of the test': async ({ devnet }) => {
    return () => devnet.provider.request(request)
  },
  'the clock': async ({ devnet }) => {
    return () => devnet.clock.status()
  },
  'a branch': async ({ devnet }) => {
    const { provider } = await devnet.branch()
    return () => provider.request(request)
  },
}

test.each(Object.entries(LOOPS))('a test that asks %s for ever hangs', async (_, open) => {
  const error = await failureOf(
    explore(
      async (run) => {
        const ask = await open(run)
        for (;;) await ask()
      },
      { maxTicks: 2 },
    ),
  )
  expect(error.message).toMatch(
    /^The test fails without a fault: The test hangs: it has not ended within 0\.4\d* s of the chain's time/,
  )
})

test('the search ends in time, although its test asks for ever', async () => {
  const summary = await explore(
    async ({ provider }) => {
      for (;;) await provider.request(request)
    },
    { time: 50, maxTicks: 1_000_000 },
  )
  expect(summary).toMatchObject({ runs: 1, complete: false })
})

test('equal searches give equal results if the app asks without a pause', async () => {
  const seen = async () => {
    const answers: unknown[] = []
    const poll = async ({ provider, devnet }: ExploreContext, account: number) => {
      const from = devnet.accounts[account]?.address
      const payment = { from, to: from, nonce: '0x0', gas: '0x5208', gasPrice: '0x2540be400' }
      const ask = (method: string, ...params: unknown[]) => provider.request({ method, params })
      const hash = await ask('eth_sendTransaction', payment)
      const end = Date.now() + 600
      let asked = 0
      for (; Date.now() < end; asked++) {
        if ((await ask('eth_getTransactionReceipt', hash)) !== null) break
      }
      answers.push(account, asked, Date.now())
    }
    const summary = await explore(
      async (run) => {
        await Promise.all([poll(run, 0), poll(run, 1)])
      },
      { maxRuns: 8, seed: 5 },
    )
    return { answers, summary }
  }
  const first = await seen()
  expect(first.summary.runs).toBe(8)
  expect(first.answers.length).toBe(48)
  expect(await seen()).toEqual(first)
})

/** What a run replaces. */
function timersNow(): unknown[] {
  return [setTimeout, setInterval, clearTimeout, Date, performance.now, inProcessTime.pause]
}

test('explore within explore is refused by name, and timers are as before', async () => {
  const before = timersNow()
  const inner = () => explore((run) => payCarefully(run), { maxRuns: 1 })
  const error = await failureOf(explore(inner))
  expect(error.message).toBe(
    'The test fails without a fault: explore within explore: call it outside of the test that it plays',
  )
  expect(timersNow()).toEqual(before)
  const caught = await explore(
    async (run) => {
      await expect(inner()).rejects.toThrow('explore within explore')
      await payCarefully(run)
    },
    { maxRuns: 3 },
  )
  expect(caught.runs).toBe(3)
  expect(timersNow()).toEqual(before)
})

test('searches at the same time take turns, whatever one throws, and timers are as before', async () => {
  const before = timersNow()
  await using devnet = createDevnet({ port: 0, noWallet: true, noDashboard: true })
  await devnet.start()
  const app = (run: ExploreContext) => payCarefully(run)
  const alone = await explore(app, { maxRuns: 6 })
  const [one, other, failed, refused] = await Promise.allSettled([
    explore(app, { maxRuns: 6 }),
    explore(app, { maxRuns: 6, from: devnet }),
    explore(() => {
      throw new Error('early')
    }),
    explore(app, { depth: 0 }),
  ])
  expect(one).toEqual({ status: 'fulfilled', value: alone })
  expect(other).toMatchObject({ value: { runs: 6 } })
  expect(failed).toMatchObject({ reason: { cause: { message: 'early' } } })
  expect(refused).toMatchObject({ reason: { message: expect.stringContaining('depth') } })
  expect(timersNow()).toEqual(before)
})
