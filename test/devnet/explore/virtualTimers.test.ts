import { setTimeout as pause, setInterval as ticks } from 'node:timers/promises'
import { promisify } from 'node:util'
import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { type ExploreContext, explore } from '../../../plugin/explore.ts'

const real = { setTimeout, setInterval, clearTimeout, clearInterval, Date }
const realNow = performance.now

function present() {
  return { setTimeout, setInterval, clearTimeout, clearInterval, Date }
}

/** Plays a test once, without faults. */
function once(run: (context: ExploreContext) => unknown, maxTicks = 300): Promise<unknown> {
  return explore(run, { maxRuns: 1, maxTicks }).catch((error: unknown) => error)
}

test('timers and dates go by the clock of the chain, in its order', async () => {
  const wall = performance.now()
  const steps: string[] = []
  const note = (step: string) => steps.push(`${step} ${Date.now() - start}`)
  let start = 0
  const result = await once(async ({ devnet }) => {
    start = Date.now()
    expect(new Date()).toEqual(new Date(start))
    expect((await devnet.clock.status()).time).toBe(start)
    setTimeout(note, 3000, 'timeout')
    const interval = setInterval(() => note('interval'), 1250)
    const cleared = setTimeout(note, 100, 'cleared')
    clearTimeout(Number(cleared))
    setTimeout(note, 50, 'late').refresh()
    setImmediate(() => note('immediate'))
    await pause(2000)
    expect(performance.now() - wall).toBeGreaterThanOrEqual(2000)
    expect((await devnet.clock.status()).latest).toMatchObject({ number: 0 })
    note('pause')
    await promisify(setTimeout)(700)
    clearInterval(interval)
    for await (const value of ticks(400, 'tick')) {
      note(value)
      if (Date.now() - start > 4000) break
    }
    expect((await devnet.clock.status()).latest.number).toBe(2)
  })
  expect(result).toMatchObject({ runs: 1 })
  expect(steps).toEqual([
    'immediate 0',
    'late 50',
    'interval 1250',
    'pause 2000',
    'interval 2500',
    'timeout 3000',
    'tick 3100',
    'tick 3500',
    'tick 3900',
    'tick 4300',
  ])
})

test('an aborted pause ends at once', async () => {
  const result = await once(async () => {
    const abort = new AbortController()
    setTimeout(() => abort.abort(new Error('enough')), 100)
    await expect(pause(60_000, undefined, { signal: abort.signal })).rejects.toMatchObject({
      name: 'AbortError',
      cause: { message: 'enough' },
    })
  })
  expect(result).toMatchObject({ runs: 1 })
})

test('the real timers are back after a run that passes, fails or hangs', async () => {
  const outcomes = [
    await once(() => undefined),
    await once(() => expect.fail('no')),
    await once(async ({ provider }) => {
      await provider.request({ method: 'eth_chainId' })
      await new Promise(() => undefined)
    }),
  ]
  expect(outcomes).toMatchObject([
    { runs: 1 },
    { message: 'The test fails without a fault: no' },
    { cause: { message: expect.stringContaining('The test hangs') } },
  ])
  expect(present()).toEqual(real)
  expect(performance.now).toBe(realNow)
})

test('timers that others set while a run is under way stay real', async () => {
  const kind = () => {
    const timer = setTimeout(() => undefined, 1)
    clearTimeout(timer)
    return timer.constructor.name
  }
  const others = Promise.withResolvers<string>()
  const { port1, port2 } = new MessageChannel()
  port1.on('message', () => others.resolve(kind()))
  await once(async () => {
    port2.postMessage('begin')
    expect(kind()).toBe('VirtualTimer')
    expect(await others.promise).toBe('Timeout')
  })
  port1.close()
})

test('a run that hangs leaves nothing to the next one', async () => {
  let rounds = 0
  let old: ExploreContext | undefined
  const hanging = await once(async (run) => {
    old = run
    for (;;) {
      await run.provider.request({ method: 'eth_blockNumber' })
      await pause(1000)
      rounds++
    }
  })
  expect(hanging).toMatchObject({ message: expect.stringContaining('The test hangs') })
  const before = rounds
  const asked = old?.provider.request({ method: 'eth_blockNumber' })
  const stepped = old?.devnet.clock.advance({ ticks: 1 })
  const next = once(() => pause(200_000), 2000).then(() => 'next')
  expect(await Promise.race([asked, stepped, next])).toBe('next')
  expect(rounds).toBe(before)
})
