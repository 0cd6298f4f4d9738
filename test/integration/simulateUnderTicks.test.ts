import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevnet } from '../../devnet/index.ts'
import type { Hex } from '../../devnet/primitives/hex.ts'
import type { Devnet, SealEvent, TickEvent } from '../../devnet/types.ts'

const CODE = '0x00000000000000000000000000000000c0de0001'

let devnet: Devnet
let from: Hex

beforeAll(async () => {
  devnet = createDevnet({ port: 0, tickInterval: 50, sealInterval: 400 })
  await devnet.start()
  from = devnet.accounts[0]?.address ?? '0x'
})

afterAll(() => devnet.stop())

const request = <Result>(method: string, ...params: unknown[]) =>
  // Each call below knows what its method answers.
  devnet.provider.request({ method, params }) as Promise<Result>

/** 3 million gas of a loop, after which it answers 42. */
const payload = () => ({
  blockStateCalls: [
    {
      stateOverrides: { [CODE]: { code: '0x62011170805b600190038060055750602a5f5260205ff3' } },
      calls: [{ from, to: CODE, gas: '0x989680' }],
    },
  ],
})

interface Simulated {
  readonly calls: readonly {
    readonly status: Hex
    readonly gasUsed: Hex
    readonly returnData: Hex
  }[]
}

test('the clocks go on while clients simulate without pause', async () => {
  const ticks: TickEvent[] = []
  const seals: SealEvent[] = []
  const gaps: number[] = []
  let last = performance.now()
  const enough = Promise.withResolvers<void>()
  const ended = [
    devnet.on('tick', (tick) => {
      const now = performance.now()
      gaps.push(now - last)
      last = now
      ticks.push(tick)
      if (ticks.length >= 30 && seals.length >= 3) enough.resolve()
      else void send()
    }),
    devnet.on('seal', (seal) => seals.push(seal)),
  ]
  const send = () => request<Hex>('eth_sendTransaction', { from, to: from, value: '0x1' })
  let running = true
  let simulated = 0
  const results = new Set<string>()
  const clients = Array.from({ length: 4 }, async () => {
    while (running) {
      const [block] = await request<Simulated[]>('eth_simulateV1', payload(), 'pending')
      results.add(JSON.stringify(block?.calls))
      simulated++
    }
  })
  await send()
  await enough.promise
  running = false
  await Promise.all(clients)
  for (const end of ended) end()
  // The same each time, whatever was pre-confirmed by then.
  expect(results.size).toBe(1)
  const [call] = JSON.parse([...results][0] ?? '[]') as Simulated['calls']
  expect(call).toMatchObject({ status: '0x1', returnData: `0x${'2a'.padStart(64, '0')}` })
  expect(Number(call?.gasUsed)).toBeGreaterThan(1_000_000)
  expect(simulated).toBeGreaterThan(10)
  // The benchmark says how late ticks are, this only that none stands still.
  expect(Math.max(...gaps)).toBeLessThan(2000)
  const nonce = Number(await request<Hex>('eth_getTransactionCount', from, 'pending'))
  expect(nonce).toBeGreaterThanOrEqual(ticks.length)
})
