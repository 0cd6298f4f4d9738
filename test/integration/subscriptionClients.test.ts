import { Contract, JsonRpcProvider, WebSocketProvider } from 'ethers'
import { createPublicClient, http, type Log, webSocket } from 'viem'
import { hardhat } from 'viem/chains'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Hex } from '../../devnet/primitives/hex.ts'
import { abi, EMITTER, SOON, startTelling, TOLD } from './tellingDevnet.ts'

describe('viem', () => {
  const viaSocket = (socketUrl: string) => {
    const client = createPublicClient({ chain: hardhat, transport: webSocket(socketUrl) })
    onTestFinished(async () => (await client.transport.getRpcClient()).close())
    return client
  }
  /** Resolves when the node has these subscriptions of the client. */
  const subscribed = async (client: ReturnType<typeof viaSocket>, count: number) => {
    const rpc = await client.transport.getRpcClient()
    await expect.poll(() => rpc.subscriptions.size, SOON).toBe(count)
  }

  test('watchBlocks and watchBlockNumber over WebSocket', async () => {
    const { clock, socketUrl } = await startTelling()
    const client = viaSocket(socketUrl)
    const numbers: [string, bigint][] = []
    const errors: Error[] = []
    const onError = (error: Error) => errors.push(error)
    client.watchBlocks({
      onBlock: ({ number }) => numbers.push(['block', number]),
      onError,
    })
    client.watchBlockNumber({
      onBlockNumber: (number) => numbers.push(['number', number]),
      onError,
    })
    await subscribed(client, 2)
    for (const number of [1n, 2n]) {
      await clock.seal()
      await expect.poll(() => numbers, SOON).toContainEqual(['block', number])
      await expect.poll(() => numbers, SOON).toContainEqual(['number', number])
    }
    expect(errors).toEqual([])
  })

  test('watchEvent and watchPendingTransactions over WebSocket', async () => {
    const { clock, socketUrl, tell } = await startTelling()
    const client = viaSocket(socketUrl)
    const told: (bigint | undefined)[] = []
    const hashes: Hex[] = []
    client.watchEvent({
      address: EMITTER,
      event: abi[0],
      strict: true,
      onLogs: (logs) => told.push(...logs.map(({ args }) => args.number)),
    })
    const unwatch = client.watchPendingTransactions({
      onTransactions: (more) => hashes.push(...more),
    })
    await subscribed(client, 2)
    const sent = [await tell(7), await tell(8)]
    await expect.poll(() => hashes, SOON).toEqual(sent)
    await clock.advance({ ticks: 1 })
    unwatch()
    await clock.seal()
    await expect.poll(() => told, SOON).toEqual([7n, 8n])
    await subscribed(client, 1)
    await tell(9)
    await clock.advance({ blocks: 1 })
    await expect.poll(() => told, SOON).toEqual([7n, 8n, 9n])
    expect(hashes).toEqual(sent)
  })

  test("Base's kinds through the transport's own subscribe", async () => {
    const { clock, socketUrl, tell } = await startTelling()
    const { transport } = viaSocket(socketUrl)
    const got: [string, unknown][] = []
    const errors: Error[] = []
    for (const kind of ['newFlashblocks', 'newFlashblockTransactions', 'pendingLogs']) {
      await transport.subscribe({
        // viem has no types for these.
        params: [kind] as never,
        onData: (data: { result?: unknown }) => got.push([kind, data.result]),
        onError: (error: Error) => errors.push(error),
      })
    }
    const hash = await tell(1)
    await clock.advance({ ticks: 1 })
    await expect.poll(() => got.length, SOON).toBe(3)
    expect(Object.fromEntries(got)).toMatchObject({
      newFlashblocks: { number: '0x1', transactions: [{ hash }] },
      newFlashblockTransactions: hash,
      pendingLogs: { transactionHash: hash, topics: [TOLD, expect.any(String)] },
    })
    expect(errors).toEqual([])
  })

  test('filters over HTTP', async () => {
    const { clock, tell, url } = await startTelling()
    const client = createPublicClient({ chain: hardhat, transport: http(url) })
    const event = await client.createEventFilter({ address: EMITTER, event: abi[0], strict: true })
    const past = await client.createContractEventFilter({ abi, address: EMITTER, fromBlock: 1n })
    const block = await client.createBlockFilter()
    const pending = await client.createPendingTransactionFilter()
    const hash = await tell(5)
    await clock.advance({ blocks: 1 })
    const { latest } = await clock.status()
    const [log] = await client.getFilterChanges({ filter: event })
    expect(log).toMatchObject({ args: { number: 5n }, transactionHash: hash, blockNumber: 1n })
    expect(await client.getFilterChanges({ filter: event })).toEqual([])
    expect(await client.getFilterLogs({ filter: event })).toEqual([log])
    expect(await client.getFilterChanges({ filter: past })).toMatchObject([
      { args: { number: 5n } },
    ])
    expect(await client.getFilterChanges({ filter: block })).toEqual([latest.hash])
    expect(await client.getFilterChanges({ filter: pending })).toEqual([hash])
    expect(await client.uninstallFilter({ filter: event })).toBe(true)
    expect(await client.uninstallFilter({ filter: event })).toBe(false)
    await expect(client.getFilterChanges({ filter: event })).rejects.toThrow('filter not found')
  })

  test('watchEvent over HTTP makes a new filter where its own is gone', async () => {
    const { clock, request, tell, url } = await startTelling()
    const client = createPublicClient({
      chain: hardhat,
      transport: http(url),
      pollingInterval: 20,
    })
    const logs: Log[] = []
    const errors: Error[] = []
    onTestFinished(
      client.watchEvent({
        address: EMITTER,
        onLogs: (more) => logs.push(...more),
        onError: (error) => errors.push(error),
      }),
    )
    await expect.poll(() => request('eth_uninstallFilter', '0x1'), SOON).toBe(true)
    // The code -32000 tells viem so.
    await expect.poll(() => errors.length, SOON).toBe(1)
    expect(errors[0]?.message).toContain('filter not found')
    const emitted = async () => {
      await tell(1)
      await clock.advance({ blocks: 1 })
      return logs.length
    }
    await expect.poll(emitted, SOON).toBeGreaterThan(0)
    expect(errors.length).toBe(1)
  })
})

describe('ethers', () => {
  test('WebSocketProvider', async () => {
    const { clock, socketUrl, tell } = await startTelling()
    const provider = new WebSocketProvider(socketUrl, 31337)
    onTestFinished(() => provider.destroy())
    const blocks: number[] = []
    const pending: string[] = []
    const told: bigint[] = []
    await provider.on('block', (number: number) => blocks.push(number))
    await provider.on('pending', (hash: string) => pending.push(hash))
    const contract = new Contract(EMITTER, ['event Told(uint256 indexed number)'], provider)
    await contract.on('Told', (number: bigint) => told.push(number))
    // Answered after the subscriptions, which were sent before.
    await provider.send('eth_chainId', [])
    const sent = [await tell(3)]
    await clock.advance({ blocks: 1 })
    sent.push(await tell(4))
    await clock.advance({ blocks: 1 })
    await expect.poll(() => told, SOON).toEqual([3n, 4n])
    await expect.poll(() => blocks, SOON).toEqual([1, 2])
    expect(pending).toEqual(sent)
  })
})

test('ethers over HTTP listens to a contract with a filter', async () => {
  const { clock, request, tell, url } = await startTelling()
  const provider = new JsonRpcProvider(url, 31337, { staticNetwork: true, cacheTimeout: -1 })
  onTestFinished(() => provider.destroy())
  provider.pollingInterval = 20
  const told: bigint[] = []
  const contract = new Contract(EMITTER, ['event Told(uint256 indexed number)'], provider)
  await contract.on('Told', (number: bigint) => told.push(number))
  let number = 0
  // It polls on new blocks only, and makes its filter some time after this.
  const emitted = async () => {
    await tell(++number)
    await clock.advance({ blocks: 1 })
    return told.length
  }
  await expect.poll(emitted, SOON).toBeGreaterThan(2)
  await contract.off('Told')
  const gone = () => request('eth_getFilterChanges', '0x1').then(String, String)
  await expect.poll(gone, SOON).toContain('filter not found')
  // Answered after the request that removed it.
  await provider.send('eth_chainId', [])
  const first = Number(told[0])
  expect(told).toEqual(told.map((_, index) => BigInt(first + index)))
})
