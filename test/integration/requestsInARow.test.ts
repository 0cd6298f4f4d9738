import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createDevnet, type Devnet } from '../../devnet/index.ts'

/** Requests in a row after which a loop has let nobody else run. */
const MOST = 1_000_000

async function started(): Promise<Devnet> {
  const devnet = createDevnet({ port: 0 })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  return devnet
}

const request = { method: 'eth_blockNumber' }
const refused = { method: 'eth_blockNumber', params: ['one too many'] }

/** What a test may do again and again, to be called with a node that has started. */
const LOOPS: Record<string, (devnet: Devnet) => Promise<() => Promise<unknown>>> = {
  'requests of the provider': async ({ provider }) => {
    return () => provider.request(request)
  },
  'requests that fail': async ({ provider }) => {
    return () => provider.request(refused).catch(() => undefined)
  },
  'requests of a branch': async (devnet) => {
    const { provider } = await devnet.branch()
    return () => provider.request(request)
  },
  'requests of many branches': async (devnet) => {
    const branches = await Promise.all(Array.from({ length: 5 }, () => devnet.branch()))
    let next = 0
    return async () => await branches[next++ % branches.length]?.provider.request(request)
  },
  'requests, a hundred at a time': async ({ provider }) => {
    const hundred = Array.from({ length: 100 })
    return () => Promise.all(hundred.map(() => provider.request(request)))
  },
  'commands of the clock': async ({ clock }) => {
    return () => clock.status()
  },
  'commands of the wallet': async ({ wallet }) => {
    return () => wallet.pending()
  },
}

describe.each(Object.entries(LOOPS))('%s in a row', (_, open) => {
  test.each<[string, (fire: () => void) => unknown]>([
    ['a timer', (fire) => setTimeout(fire, 0)],
    ['an immediate', (fire) => setImmediate(fire)],
  ])('let %s fire', async (_, arm) => {
    const ask = await open(await started())
    for (let round = 0; round < 3; round++) {
      let hasFired = false
      arm(() => {
        hasFired = true
      })
      let asked = 0
      for (; !hasFired && asked < MOST; asked++) await ask()
      expect(asked).toBeLessThan(MOST)
    }
  })
})

test('a test that asks without a pause sees ticks and seals', async () => {
  const { provider, accounts } = await started()
  const params = [{ from: accounts[0]?.address, to: accounts[1]?.address }]
  const hash = await provider.request({ method: 'eth_sendTransaction', params })
  const sealed = async () => {
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    return receipt !== null && (await provider.request({ method: 'eth_blockNumber' })) !== '0x0'
  }
  while (!(await sealed()));
})

test('requests in a row go on while timers are faked', async () => {
  const { provider } = await started()
  const { setImmediate } = globalThis
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  for (let round = 0; round < 3; round++) {
    let hasFired = false
    setImmediate(() => {
      hasFired = true
    })
    let asked = 0
    for (; !hasFired && asked < MOST; asked++) await provider.request(request)
    expect(asked).toBeLessThan(MOST)
  }
})

test('many requests at once are begun in order, and so answered', async () => {
  const devnet = createDevnet({ port: 0, frozen: true, frozenTicks: true })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  const from = devnet.accounts[0]?.address
  const answered: number[] = []
  const all = Array.from({ length: 2000 }, async (_, index) => {
    const params = [{ from, to: from, gas: '0x5208' }]
    if (index % 10 === 0) await devnet.provider.request({ method: 'eth_sendTransaction', params })
    else await devnet.provider.request(index % 10 === 1 ? refused : request).catch(() => undefined)
    if (index % 10 > 0) answered.push(index)
  })
  // Comes after all that was sent, whatever has not been answered yet.
  await devnet.clock.advance({ ticks: 1 })
  const count = { method: 'eth_getBlockTransactionCountByNumber', params: ['pending'] }
  expect(await devnet.provider.request(count)).toBe('0xc8')
  await Promise.all(all)
  expect(answered).toEqual(answered.toSorted((a, b) => a - b))
})
