import { expect, test } from 'vitest'
import { createDevnet, type Devnet, type OptionsInput } from '../../../devnet/index.ts'
import { explore } from '../../../plugin/explore.ts'
import { payCarefully, received, sleep } from './apps.ts'

async function started(options: OptionsInput): Promise<Devnet> {
  const devnet = createDevnet({ port: 0, noWallet: true, noDashboard: true, ...options })
  await devnet.start()
  return devnet
}

async function balance({ provider }: Pick<Devnet, 'provider'>, address: string): Promise<bigint> {
  const params = [address, 'pending']
  return BigInt(String(await provider.request({ method: 'eth_getBalance', params })))
}

const OTHER_MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

const FIXTURE = `0x${'7'.repeat(40)}`

test('each run begins with a branch of a devnet, which sees nothing of it', async () => {
  await using devnet = await started({ frozen: true, frozenTicks: true })
  const params = [{ from: devnet.accounts[1]?.address, to: FIXTURE, value: '0x5' }]
  await devnet.provider.request({ method: 'eth_sendTransaction', params })
  await devnet.clock.advance({ blocks: 3 })
  const before = await devnet.clock.status()
  const summary = await explore(
    async (run) => {
      expect(await balance(run.devnet, FIXTURE)).toBe(5n)
      expect((await run.devnet.clock.status()).latest).toEqual(before.latest)
      expect(Date.now()).toBe(before.time)
      await payCarefully(run)
      expect(await received(run)).toBe(1n)
    },
    { from: devnet, depth: 1 },
  )
  expect(summary).toMatchObject({ complete: true, tried: 14 })
  expect(await devnet.clock.status()).toEqual(before)
})

test('a devnet whose clocks run goes on meanwhile, and runs begin where it was', async () => {
  await using devnet = await started({ tickInterval: 20, sealInterval: 60 })
  const starts = new Set<number>()
  await explore(
    async (run) => {
      starts.add(Date.now())
      await payCarefully(run)
    },
    { from: devnet, maxRuns: 20, maxTicks: 60_000 },
  )
  expect(starts.size).toBe(1)
  const sealed = Promise.withResolvers<void>()
  devnet.on('seal', () => sealed.resolve())
  await sealed.promise
})

test('in instant mode a run seals each transaction at once', async () => {
  await using devnet = await started({ instant: true })
  const summary = await explore(
    async (run) => {
      const start = Date.now()
      const params = [{ from: run.devnet.accounts[0]?.address, to: FIXTURE, value: '0x1' }]
      // Its drop is its answer.
      const request = { method: 'eth_sendTransaction', params }
      await run.provider.request(request).catch(() => undefined)
      await sleep(100)
      expect(Date.now()).toBe(start + 100)
    },
    { from: devnet, depth: 1 },
  )
  expect(summary.tried).toBeGreaterThan(0)
})

test('runs on a forked chain wait for its upstream in real time', async () => {
  await using upstream = await started({ tickInterval: 5, sealInterval: 10 })
  const [rich, other] = upstream.accounts
  const params = [{ from: rich?.address, to: FIXTURE, value: '0x9' }]
  await upstream.provider.request({ method: 'eth_sendTransaction', params })
  await upstream.clock.advance({ blocks: 1 })
  await using devnet = await started({
    fork: upstream.url,
    mnemonic: OTHER_MNEMONIC,
    frozenTicks: true,
  })
  let waits = 0
  const summary = await explore(
    async (run) => {
      const start = Date.now()
      expect(await balance(run.devnet, FIXTURE)).toBe(9n)
      expect(await balance(run.devnet, other?.address ?? '')).toBe(10_000n * 10n ** 18n)
      waits = Math.max(waits, Date.now() - start)
      await payCarefully(run)
      expect(await received(run)).toBe(1n)
    },
    { from: devnet, depth: 1 },
  )
  expect(summary).toMatchObject({ complete: true, tried: 14 })
  expect(waits).toBe(0)
})
