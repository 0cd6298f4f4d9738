import { describe, expect, onTestFinished, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { JsonText } from '../../../devnet/primitives/jsonText.ts'
import { ProcessHold } from '../../../devnet/primitives/processHold.ts'
import { InProcessProvider } from '../../../devnet/rpc/inProcessProvider.ts'
import type { ProviderMessage } from '../../../devnet/types.ts'
import { fakeNode } from './fakeMethods.ts'

async function startDevnet() {
  const devnet = createDevnet({ port: 0, frozenTicks: true })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  const messages: unknown[] = []
  const listener = (message: ProviderMessage) => messages.push(message)
  devnet.provider.on('message', listener)
  const subscribe = async (kind: string) =>
    // Its answer is the id.
    (await devnet.provider.request({ method: 'eth_subscribe', params: [kind] })) as Hex
  return { devnet, messages, listener, subscribe }
}

describe('message', () => {
  test('default: what a command brings about is there when it resolves', async () => {
    const { devnet, messages, subscribe } = await startDevnet()
    const subscription = await subscribe('newHeads')
    await devnet.clock.seal()
    expect(messages).toEqual([
      {
        type: 'eth_subscription',
        data: { subscription, result: expect.objectContaining({ number: '0x1' }) },
      },
    ])
    await devnet.provider.request({ method: 'evm_mine' })
    expect(messages.length).toBe(2)
    expect(
      await devnet.provider.request({ method: 'eth_unsubscribe', params: [subscription] }),
    ).toBe(true)
    await devnet.clock.seal()
    expect(messages.length).toBe(2)
  })

  test('the answer comes before what it lets expect', async () => {
    const { devnet, messages, subscribe } = await startDevnet()
    const order: unknown[] = []
    devnet.provider.on('message', ({ data }) => order.push(data))
    const client = async () => {
      const subscription = await subscribe('syncing')
      // As far away as a client's own wrappers are.
      for (let hop = 0; hop < 20; hop++) await undefined
      order.push(subscription)
      return subscription
    }
    const subscription = await client()
    await devnet.clock.status()
    expect(order).toEqual([subscription, { subscription, result: false }])
    expect(messages.length).toBe(1)
  })

  test('a listener that is removed, or was added twice', async () => {
    const { devnet, messages, listener, subscribe } = await startDevnet()
    await subscribe('newHeads')
    devnet.provider.on('message', listener)
    await devnet.clock.seal()
    expect(messages.length).toBe(1)
    expect(devnet.provider.removeListener('message', listener)).toBe(devnet.provider)
    devnet.provider.removeListener('message', listener)
    await devnet.clock.seal()
    expect(messages.length).toBe(1)
    expect(devnet.provider.on('accountsChanged', listener)).toBe(devnet.provider)
  })

  test('messages belong to whoever gets them', async () => {
    const { devnet, subscribe } = await startDevnet()
    await subscribe('newHeads')
    await subscribe('newHeads')
    const numbers: unknown[] = []
    devnet.provider.on('message', ({ data }) => {
      const { result } = data as { result: { number?: Hex } }
      numbers.push(result.number)
      delete result.number
    })
    await devnet.clock.seal()
    expect(numbers).toEqual(['0x1', '0x1'])
  })

  test('subscriptions end when the node stops', async () => {
    const { devnet, messages, subscribe } = await startDevnet()
    await subscribe('newHeads')
    const sealing = devnet.clock.advance({ blocks: 1 })
    await sealing
    await devnet.stop()
    expect(messages.length).toBe(1)
    await expect(subscribe('newHeads')).rejects.toThrow('stopped')
  })

  test('args: maxSubscriptions', async () => {
    const devnet = createDevnet({ port: 0, frozenTicks: true, maxSubscriptions: 2 })
    onTestFinished(() => devnet.stop())
    await devnet.start()
    const request = { method: 'eth_subscribe', params: ['newHeads'] }
    await devnet.provider.request(request)
    await devnet.provider.request(request)
    await expect(devnet.provider.request(request)).rejects.toMatchObject({ code: -32005 })
  })
})

describe('InProcessProvider', () => {
  test('messages wait for all that may have subscribed', async () => {
    const { dispatch, connections, gate } = fakeNode()
    const { signal } = new AbortController()
    const provider = new InProcessProvider(
      () => ({ dispatch, signal }),
      new ProcessHold(),
      () => undefined,
    )
    const got: unknown[] = []
    provider.on('message', (message) => got.push(message))
    const first = provider.request({ method: 'test_connection' })
    expect(provider.delivered()).toBe(undefined)
    await first
    connections[0]?.notify('eth_subscription', new JsonText('1'))
    expect(got).toEqual([])
    gate.open()
    expect(await provider.request({ method: 'eth_chainId' })).toBe('0x7a69')
    expect(got).toEqual([{ type: 'eth_subscription', data: 1 }])
    connections[0]?.notify('eth_subscription', new JsonText('2'))
    expect(got.length).toBe(2)
  })

  test('a listener that throws is reported, and the others hear it', async () => {
    const { dispatch, connections } = fakeNode()
    const { signal } = new AbortController()
    const defects: unknown[] = []
    const provider = new InProcessProvider(
      () => ({ dispatch, signal }),
      new ProcessHold(),
      (defect) => defects.push(defect),
    )
    const got: unknown[] = []
    const mistake = new Error('no')
    provider.on('message', () => {
      throw mistake
    })
    provider.on('message', (message) => got.push(message))
    await provider.request({ method: 'test_connection' })
    await provider.request({ method: 'eth_chainId' })
    connections[0]?.notify('eth_subscription', new JsonText('1'))
    expect([got.length, defects]).toEqual([1, [mistake]])
  })
})
