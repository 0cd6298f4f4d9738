import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Chain } from '../../../devnet/chain/chain.ts'
import { Clocks } from '../../../devnet/clock/clocks.ts'
import { createDevnet, ListenError, OptionError, ProviderError } from '../../../devnet/index.ts'

const options = { port: 0, frozenTicks: true } as const

const isListening = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

describe('life cycle', () => {
  test('default', async () => {
    const devnet = createDevnet(options)
    expect(() => devnet.url).toThrow('not started')
    await devnet.start()
    expect(devnet.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(devnet.accounts.length).toBe(20)
    expect(await (await fetch(`${devnet.url}/health`)).json()).toEqual({
      status: 'ok',
      latest: 0,
      pending: 1,
      ticks: 'frozen',
      sealing: 'frozen',
    })
    const { url } = devnet
    await devnet.stop()
    await expect(fetch(url)).rejects.toThrow()
  })

  test('asyncDispose: stops', async () => {
    let url: string
    {
      await using devnet = createDevnet(options)
      await devnet.start()
      url = devnet.url
    }
    await expect(fetch(url)).rejects.toThrow()
  })

  test('starts once', async () => {
    const devnet = createDevnet(options)
    await devnet.start()
    await expect(devnet.start()).rejects.toThrow('starts only once')
    await devnet.stop()
  })

  test('stop is idempotent, also before and during the start', async () => {
    await createDevnet(options).stop()
    const devnet = createDevnet(options)
    const starting = devnet.start()
    await Promise.all([devnet.stop(), devnet.stop(), starting])
    expect(() => devnet.url).toThrow('stopped')
    await expect(devnet.provider.request({ method: 'eth_chainId' })).rejects.toThrow('stopped')
  })

  test('a taken port', async () => {
    const first = createDevnet(options)
    await first.start()
    const second = createDevnet({ ...options, port: Number(new URL(first.url).port) })
    await expect(second.start()).rejects.toThrow(ListenError)
    await second.stop()
    await first.stop()
  })

  test('a start that fails although it listens already leaves nothing behind', async () => {
    const first = createDevnet(options)
    await first.start()
    const port = Number(new URL(first.url).port)
    await first.stop()
    const begin = vi.spyOn(Clocks.prototype, 'start').mockImplementationOnce(() => {
      throw new Error('The clocks are broken')
    })
    onTestFinished(() => begin.mockRestore())
    const broken = createDevnet({ ...options, port })
    await expect(broken.start()).rejects.toThrow('The clocks are broken')
    await using next = createDevnet({ ...options, port })
    await next.start()
    expect(Number(new URL(next.url).port)).toBe(port)
  })

  test('it has stopped only when its rehearsal has ended', async () => {
    const gate = Promise.withResolvers<void>()
    const warmUp = vi.spyOn(Chain.prototype, 'warmUp').mockReturnValue(gate.promise)
    onTestFinished(() => warmUp.mockRestore())
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const devnet = createDevnet(options)
    await devnet.start()
    vi.advanceTimersByTime(50)
    while (warmUp.mock.calls.length === 0) await turn()
    const { url } = devnet
    let hasStopped = false
    const stopping = devnet.stop().then(() => {
      hasStopped = true
    })
    while (await isListening(url)) await turn()
    await turn()
    expect(hasStopped).toBe(false)
    gate.resolve()
    await stopping
  })

  test('a bad option', () => {
    expect(() => createDevnet({ port: -1 })).toThrow(OptionError)
  })

  test('a bad mnemonic', async () => {
    await expect(
      createDevnet({ ...options, mnemonic: Array(12).fill('test').join(' ') }).start(),
    ).rejects.toThrow(OptionError)
  })

  test('stop ends a long command', async () => {
    const devnet = createDevnet(options)
    await devnet.start()
    const long = devnet.provider.request({ method: 'hardhat_mine', params: ['0xf4240'] })
    const refused = expect(long).rejects.toThrow('The node was stopped')
    await devnet.provider.request({ method: 'eth_chainId' })
    await devnet.stop()
    await refused
  })
})

describe('provider', () => {
  test('errors are those of EIP-1193', async () => {
    const devnet = createDevnet(options)
    await devnet.start()
    const asked = devnet.provider.request({ method: 'eth_getBalance', params: ['0x12'] })
    await expect(asked).rejects.toThrow(ProviderError)
    await expect(asked).rejects.toMatchObject({ code: -32602 })
    await devnet.stop()
  })
})

describe('clock and events', () => {
  test('default', async () => {
    const devnet = createDevnet({ ...options, timestamp: 1_800_000_000 })
    await devnet.start()
    const [from, to] = devnet.accounts
    const events: unknown[] = []
    devnet.on('tick', (event) => events.push({ ...event, elapsed: 0 }))
    const end = devnet.on('seal', (event) => events.push({ ...event, elapsed: 0, hash: '0x' }))
    const hash = await devnet.provider.request({
      method: 'eth_sendTransaction',
      params: [{ from: from?.address, to: to?.address, value: '0x1' }],
    })
    const status = await devnet.clock.advance({ ticks: 2 })
    const transaction = {
      hash,
      from: from?.address,
      to: to?.address,
      nonce: 0,
      gasUsed: 21_000,
      status: 'success',
      tick: 0,
    }
    const ticked = {
      ...transaction,
      value: 1n,
      gasLimit: 21_000,
      data: '0x',
      contractAddress: null,
      error: null,
    }
    expect(status).toMatchObject({
      time: 1_800_000_000_400,
      ticks: { interval: 200, running: false, next: null },
      sealing: { interval: 2000, running: false, next: null },
      latest: { number: 0 },
      pending: {
        number: 1,
        timestamp: 1_800_000_002,
        ticks: 2,
        gasUsed: 21_000,
        transactions: [transaction],
      },
      mempool: { runnable: 0, waiting: 0 },
      dropped: [],
    })
    await devnet.clock.seal()
    end()
    await devnet.clock.seal()
    expect(events).toEqual([
      { block: 1, tick: 0, transactions: [ticked], elapsed: 0 },
      {
        number: 1,
        hash: '0x',
        timestamp: 1_800_000_002,
        transactions: 1,
        gasUsed: 21_000,
        baseFeePerGas: 875_000_000n,
        elapsed: 0,
      },
    ])
    await devnet.stop()
  })

  test('five at once do not see each other', async () => {
    const devnets = Array.from({ length: 5 }, () => createDevnet(options))
    await Promise.all(devnets.map((devnet) => devnet.start()))
    await Promise.all(devnets.map((devnet, index) => devnet.clock.advance({ blocks: index + 1 })))
    const numbers = await Promise.all(
      devnets.map((devnet) => devnet.provider.request({ method: 'eth_blockNumber' })),
    )
    expect(numbers).toEqual(['0x1', '0x2', '0x3', '0x4', '0x5'])
    await Promise.all(devnets.map((devnet) => devnet.stop()))
  })
})
