import { JsonRpcProvider, WebSocketProvider } from 'ethers'
import { createPublicClient, http, webSocket } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from './support.ts'

const ACCOUNT = '0x0000000000000000000000000000000000000001'

describe('viem', () => {
  test.each([
    ['http', (url: string) => http(url)],
    ['http with batches', (url: string) => http(url, { batch: true })],
    ['webSocket', (url: string) => webSocket(url.replace('http', 'ws'))],
  ])('%s', async (_, transport) => {
    const { url } = await startServer()
    const client = createPublicClient({ transport: transport(url) })
    // Else a socket tries to connect again, while other tests run.
    onTestFinished(async () => {
      if ('getRpcClient' in client.transport) (await client.transport.getRpcClient()).close()
    })
    const answers = await Promise.all([
      client.getChainId(),
      client.getBlockNumber(),
      client.getBalance({ address: ACCOUNT, blockTag: 'pending' }),
    ])
    expect(answers).toEqual([31337, 16n, 2n])
    // viem has no types for methods of others.
    const refused = client.request({ method: 'test_refuse' } as never)
    await expect(refused).rejects.toMatchObject({ details: 'execution reverted: no', code: 3 })
  })
})

describe('ethers', () => {
  test.each([
    ['JsonRpcProvider', (url: string) => new JsonRpcProvider(url)],
    ['WebSocketProvider', (url: string) => new WebSocketProvider(url.replace('http', 'ws'))],
  ])('%s', async (_, connect) => {
    const { url } = await startServer()
    const provider = connect(url)
    onTestFinished(() => provider.destroy())
    const answers = await Promise.all([
      provider.getNetwork().then(({ chainId }) => chainId),
      provider.getBlockNumber(),
      provider.getBalance(ACCOUNT, 'pending'),
    ])
    expect(answers).toEqual([31337n, 16, 2n])
    await expect(provider.send('test_refuse', [])).rejects.toMatchObject({
      error: { code: 3, message: 'execution reverted: no', data: '0x08c379a0' },
    })
  })
})
