import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Contract, WebSocketProvider } from 'ethers'
import { createPublicClient, http, type Log, parseAbi, webSocket } from 'viem'
import { hardhat } from 'viem/chains'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createDevnet } from '../../devnet/index.ts'
import type { OptionsInput } from '../../devnet/options.ts'
import type { Devnet, Hex } from '../../devnet/types.ts'

/** Emits Told(uint256) with its calldata as topic: LOG2 of keccak256("Told(uint256)") and the number. */
const TOLD = '0x9a4a9b2ce0f7b2f5bd0a0be3cbfdb1cd4ab55c8fd3ba44a2a27ba9c0e9a11f5b'
const abi = parseAbi(['event Told(uint256 indexed number)'])
const EMITTER: Hex = `0x${'e1'.repeat(20)}`

let devnet: Devnet
let from: Hex

async function start(options: OptionsInput = {}): Promise<void> {
  devnet = createDevnet({ port: 0, frozenTicks: true, ...options })
  await devnet.start()
  from = devnet.accounts[0]?.address ?? '0x'
  await request('hardhat_setCode', EMITTER, `0x5f357f${TOLD.slice(2)}5f5fa200`)
}

beforeEach(() => start())
afterEach(() => devnet.stop())

const request = <Result = unknown>(method: string, ...params: unknown[]) =>
  // Each call below knows what its method answers.
  devnet.provider.request({ method, params }) as Promise<Result>

/** Sends a transaction that emits Told(number). */
const tell = (number: number) =>
  request<Hex>('eth_sendTransaction', {
    from,
    to: EMITTER,
    data: `0x${number.toString(16).padStart(64, '0')}`,
    gas: '0x186a0',
  })

const socketUrl = () => devnet.url.replace('http', 'ws')

describe('viem', () => {
  const viaSocket = () => {
    const client = createPublicClient({ chain: hardhat, transport: webSocket(socketUrl()) })
    onTestFinished(async () => (await client.transport.getRpcClient()).close())
    return client
  }
  /** Resolves when the node has these subscriptions of the client. */
  const subscribed = async (client: ReturnType<typeof viaSocket>, count: number) => {
    const rpc = await client.transport.getRpcClient()
    await expect.poll(() => rpc.subscriptions.size).toBe(count)
  }

  test('behavior: watchBlocks and watchBlockNumber over WebSocket', async () => {
    const client = viaSocket()
    const numbers: [string, bigint][] = []
    const onError = (error: Error) => expect.unreachable(error.message)
    client.watchBlocks({
      onBlock: ({ number }) => numbers.push(['block', number]),
      onError,
    })
    client.watchBlockNumber({ onBlockNumber: (number) => numbers.push(['number', number]), onError })
    await subscribed(client, 2)
    for (const number of [1n, 2n]) {
      await devnet.clock.seal()
      await expect.poll(() => numbers).toContainEqual(['block', number])
      await expect.poll(() => numbers).toContainEqual(['number', number])
    }
  })

  test('behavior: watchEvent and watchPendingTransactions over WebSocket', async () => {
    const client = viaSocket()
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
    await expect.poll(() => hashes).toEqual(sent)
    await devnet.clock.advance({ ticks: 1 })
    unwatch()
    await devnet.clock.seal()
    await expect.poll(() => told).toEqual([7n, 8n])
    await subscribed(client, 1)
    await tell(9)
    await devnet.clock.advance({ blocks: 1 })
    await expect.poll(() => told).toEqual([7n, 8n, 9n])
    expect(hashes).toEqual(sent)
  })

  test("behavior: Base's kinds through the transport's own subscribe", async () => {
    const { transport } = viaSocket()
    const got: [string, unknown][] = []
    for (const kind of ['newFlashblocks', 'newFlashblockTransactions', 'pendingLogs']) {
      await transport.subscribe({
        // viem has no types for these.
        params: [kind] as never,
        onData: ({ result }: { result: unknown }) => got.push([kind, result]),
        onError: (error: Error) => expect.unreachable(error.message),
      })
    }
    const hash = await tell(1)
    await devnet.clock.advance({ ticks: 1 })
    await expect.poll(() => got.length).toBe(3)
    expect(Object.fromEntries(got)).toMatchObject({
      newFlashblocks: { number: '0x1', transactions: [{ hash }] },
      newFlashblockTransactions: hash,
      pendingLogs: { transactionHash: hash, topics: [TOLD, expect.any(String)] },
    })
  })

  test('behavior: filters over HTTP', async () => {
    const client = createPublicClient({ chain: hardhat, transport: http(devnet.url) })
    const event = await client.createEventFilter({ address: EMITTER, event: abi[0], strict: true })
    const past = await client.createContractEventFilter({ abi, address: EMITTER, fromBlock: 1n })
    const block = await client.createBlockFilter()
    const pending = await client.createPendingTransactionFilter()
    const hash = await tell(5)
    await devnet.clock.advance({ blocks: 1 })
    const { latest } = await devnet.clock.status()
    const [log] = await client.getFilterChanges({ filter: event })
    expect(log).toMatchObject({ args: { number: 5n }, transactionHash: hash, blockNumber: 1n })
    expect(await client.getFilterChanges({ filter: event })).toEqual([])
    expect(await client.getFilterLogs({ filter: event })).toEqual([log])
    expect(await client.getFilterChanges({ filter: past })).toMatchObject([{ args: { number: 5n } }])
    expect(await client.getFilterChanges({ filter: block })).toEqual([latest.hash])
    expect(await client.getFilterChanges({ filter: pending })).toEqual([hash])
    expect(await client.uninstallFilter({ filter: event })).toBe(true)
    expect(await client.uninstallFilter({ filter: event })).toBe(false)
    await expect(client.getFilterChanges({ filter: event })).rejects.toThrow('filter not found')
  })

  test('behavior: watchEvent over HTTP makes a new filter where its own is gone', async () => {
    await devnet.stop()
    await start({ filterTimeout: 1 })
    const client = createPublicClient({
      chain: hardhat,
      transport: http(devnet.url),
      pollingInterval: 30,
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
    // Its filter is always gone by the next poll: code -32000 tells viem so.
    await expect.poll(() => errors.length).toBeGreaterThan(2)
    expect(errors.every(({ message }) => message.includes('filter not found'))).toBe(true)
  })
})

describe('ethers', () => {
  test('behavior: WebSocketProvider', async () => {
    const provider = new WebSocketProvider(socketUrl(), 31337)
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
    await devnet.clock.advance({ blocks: 1 })
    sent.push(await tell(4))
    await devnet.clock.advance({ blocks: 1 })
    await expect.poll(() => told).toEqual([3n, 4n])
    await expect.poll(() => blocks).toEqual([1, 2])
    expect(pending).toEqual(sent)
  })
})

interface Client {
  readonly socket: WebSocket
  /** Kind and result of each message, in the order in which they came. */
  readonly messages: [string, unknown][]
  subscribe(kind: string, extra?: unknown): Promise<Hex>
}

async function connectClient(): Promise<Client> {
  const socket = new WebSocket(socketUrl())
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const messages: Client['messages'] = []
  const kinds = new Map<Hex, string>()
  const answers = new Map<number, (result: Hex) => void>()
  socket.on('message', (data) => {
    const { id, result, params } = JSON.parse(String(data))
    if (id === undefined) messages.push([kinds.get(params.subscription) ?? '?', params.result])
    else answers.get(id)?.(result)
  })
  let lastId = 0
  return {
    socket,
    messages,
    async subscribe(kind, extra) {
      const id = ++lastId
      const params = extra === undefined ? [kind] : [kind, extra]
      const answer = new Promise<Hex>((resolve) => answers.set(id, resolve))
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
      const subscription = await answer
      kinds.set(subscription, kind)
      return subscription
    },
  }
}

describe('sockets', () => {
  test('behavior: order under load: nothing is missing, nothing comes twice, each kind in the order of the chain', async () => {
    await devnet.stop()
    await start({ frozenTicks: false, tickInterval: 20, sealInterval: 100 })
    const client = await connectClient()
    const kinds = ['newPendingTransactions', 'newFlashblockTransactions', 'pendingLogs', 'logs', 'newHeads']
    for (const kind of kinds) await client.subscribe(kind)
    const sent: Hex[] = []
    for (let batch = 0; batch < 20; batch++) {
      sent.push(...(await Promise.all(Array.from({ length: 25 }, (_, index) => tell(batch * 25 + index)))))
    }
    const of = <Result>(kind: string) =>
      client.messages.filter(([name]) => name === kind).map(([, result]) => result as Result)
    await expect.poll(() => of('logs').length, { timeout: 20_000 }).toBe(500)
    expect(of('newPendingTransactions')).toEqual(sent)
    expect(of('newFlashblockTransactions')).toEqual(sent)
    for (const kind of ['pendingLogs', 'logs']) {
      expect(of<Log>(kind).map(({ transactionHash }) => transactionHash)).toEqual(sent)
    }
    const heads = of<{ number: Hex; parentHash: Hex; hash: Hex }>('newHeads')
    for (const [index, { number, parentHash }] of heads.entries()) {
      expect(Number(number)).toBe(Number(heads[0]?.number) + index)
      if (index > 0) expect(parentHash).toBe(heads[index - 1]?.hash)
    }
    // Each log was pre-confirmed before it was sealed.
    const places = client.messages.map(([kind, result]) =>
      kind === 'pendingLogs' || kind === 'logs' ? `${kind} ${(result as Log).transactionHash}` : kind,
    )
    for (const hash of [sent[0], sent[499]]) {
      const place = places.indexOf(`pendingLogs ${hash}`)
      expect(place).toBeGreaterThan(-1)
      expect(places.indexOf(`logs ${hash}`)).toBeGreaterThan(place)
    }
  })

  test('behavior: a socket that does not read loses only itself, and no tick waits for it', async () => {
    const slow = await connectClient()
    const good = await connectClient()
    await slow.subscribe('newFlashblocks')
    await good.subscribe('newFlashblockTransactions')
    slow.socket.pause()
    let sent = 0
    const gaps: number[] = []
    devnet.on('tick', ({ elapsed }) => gaps.push(elapsed))
    // Each tick sends the whole block so far: 1,000 transactions of 8 kB, 60 times.
    for (let count = 0; count < 20; count++) {
      const hash = await request('eth_sendTransaction', {
        from,
        to: from,
        data: `0x${'11'.repeat(100_000)}`,
        gas: '0xe4e1c0',
      })
      expect(hash).toMatch(/^0x/)
      sent++
      await devnet.clock.advance({ ticks: 1 })
      if (count % 4 === 3) await devnet.clock.seal()
    }
    await expect.poll(() => good.messages.length).toBe(sent)
    expect(slow.socket.readyState).toBe(WebSocket.OPEN)
    slow.socket.resume()
    const [code, reason] = await once(slow.socket, 'close')
    expect([code, String(reason)]).toEqual([
      1013,
      'read too slowly: more than 16777216 bytes wait; connect again',
    ])
  })

  test('behavior: a socket that is gone without a word harms nobody', async () => {
    const good = await connectClient()
    await good.subscribe('newHeads')
    const { hostname, port } = new URL(devnet.url)
    const sockets: Socket[] = []
    for (let count = 0; count < 3; count++) {
      const socket = connect(Number(port), hostname)
      sockets.push(socket)
      await once(socket, 'connect')
      socket.write(
        `GET / HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      )
      await once(socket, 'data')
      const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
      // A frame of text with a mask of zeros.
      socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), body]))
      await once(socket, 'data')
    }
    for (const socket of sockets) socket.resetAndDestroy()
    await devnet.clock.advance({ blocks: 3 })
    await expect.poll(() => good.messages.length).toBe(3)
  })

  test('behavior: 1,024 subscriptions on one socket', async () => {
    const client = await connectClient()
    for (let count = 0; count < 1023; count++) await client.subscribe('logs', { address: from })
    await client.subscribe('newHeads')
    expect(await client.subscribe('newHeads')).toBe(undefined)
    await devnet.clock.seal()
    await expect.poll(() => client.messages.length).toBe(1)
  })
})
