import { once } from 'node:events'
import { brotliDecompressSync } from 'node:zlib'
import {
  encodeDeployData,
  encodeEventTopics,
  encodeFunctionData,
  getContractAddress,
  keccak256,
} from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createDevnet, type Devnet, type OptionsInput } from '../../../devnet/index.ts'
import { profileOf } from '../../../devnet/options/profileTable.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { createFlashblockRoutes } from '../../../devnet/server/flashblockRoutes.ts'
import { withDefaults } from '../../../devnet/server/limits.ts'
import { createTestChain } from '../../support/chain.ts'
import { artifact } from '../../support/solidity.ts'
import type { Message } from '../stream/raw/follower.ts'
import { exchange, head, JSON_HEADERS, openWebSocket, startServer } from './support.ts'

const ALICE: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const NOBODY: Hex = `0x${'ab'.repeat(20)}`

async function start(options: OptionsInput = {}): Promise<Devnet> {
  const devnet = createDevnet({ port: 0, frozenTicks: true, timestamp: 1_800_000_000, ...options })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  return devnet
}

const call = (devnet: Devnet, method: string, ...params: unknown[]) =>
  devnet.provider.request({ method, params })

/** A client of the stream, and all that it has received. */
async function connect(devnet: Devnet, rest = '') {
  const socket = await openWebSocket(`${devnet.flashblocksUrl}${rest}`)
  const frames: { readonly data: Buffer; readonly isBinary: boolean }[] = []
  socket.on('message', (data: Buffer, isBinary: boolean) => frames.push({ data, isBinary }))
  /** The next messages, once so many are there. */
  async function take(count: number): Promise<Message[]> {
    await expect.poll(() => frames.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(count)
    return frames.splice(0).map(({ data }) => JSON.parse(data.toString()))
  }
  return { socket, frames, take }
}

async function transfer(devnet: Devnet): Promise<void> {
  await call(devnet, 'eth_sendTransaction', {
    from: ALICE,
    to: NOBODY,
    value: '0x5',
    gas: '0x5208',
  })
  await devnet.clock.advance({ ticks: 1 })
}

const ZERO = `0x${'00'.repeat(32)}`
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

test('index 0 opens a block, and each tick has its message, empty ones too', async () => {
  const devnet = await start()
  const { take } = await connect(devnet)
  await devnet.clock.seal()
  const [opened] = await take(1)
  const latest = await call(devnet, 'eth_getBlockByNumber', 'latest', false)
  const pending = (await call(devnet, 'eth_getBlockByNumber', 'pending', false)) as Record<
    string,
    Hex
  >
  expect(latest).toMatchObject({ hash: opened?.base?.parent_hash })
  expect(opened).toEqual({
    payload_id: expect.stringMatching(/^0x[0-9a-f]{16}$/),
    index: 0,
    base: {
      parent_beacon_block_root: ZERO,
      parent_hash: pending.parentHash,
      fee_recipient: pending.miner,
      prev_randao: pending.mixHash,
      block_number: '0x2',
      gas_limit: pending.gasLimit,
      timestamp: pending.timestamp,
      extra_data: '0x',
      base_fee_per_gas: pending.baseFeePerGas,
    },
    diff: {
      state_root: ZERO,
      receipts_root: EMPTY_ROOT,
      logs_bloom: `0x${'00'.repeat(256)}`,
      gas_used: '0x0',
      block_hash: ZERO,
      transactions: [],
      withdrawals: [],
      withdrawals_root: EMPTY_ROOT,
      blob_gas_used: '0x0',
    },
    metadata: {
      block_number: 2,
      receipts: {},
      new_account_balances: {},
      chain_id: '0x7a69',
      hardfork: 'bpo2',
    },
  })
  await devnet.clock.advance({ ticks: 1 })
  await transfer(devnet)
  const [empty, full] = await take(2)
  expect(empty).toEqual({
    payload_id: opened?.payload_id,
    index: 1,
    diff: opened?.diff,
    metadata: { block_number: 2, receipts: {}, new_account_balances: {} },
  })
  const block = (await call(devnet, 'eth_getBlockByNumber', 'pending', true)) as {
    readonly receiptsRoot: Hex
    readonly transactions: readonly { readonly hash: Hex }[]
  }
  const hash = block.transactions[0]?.hash ?? '0x'
  const raw = await call(devnet, 'eth_getRawTransactionByHash', hash)
  const balance = await call(devnet, 'eth_getBalance', NOBODY, 'pending')
  expect(full).toMatchObject({
    index: 2,
    diff: { transactions: [raw], gas_used: '0x5208', receipts_root: block.receiptsRoot },
    metadata: {
      receipts: { [hash]: { type: '0x2', status: '0x1', cumulativeGasUsed: '0x5208', logs: [] } },
      new_account_balances: { [NOBODY]: balance },
    },
  })
  expect(balance).toBe('0x5')
})

test('a cheat and an unsigned transaction are told at once, with what a replica needs', async () => {
  const devnet = await start()
  const { take } = await connect(devnet)
  await call(devnet, 'hardhat_setCode', NOBODY, '0x6001')
  const [sealed] = await take(1)
  const { codes, steps } = { ...sealed?.metadata }
  const codeHash = keccak256('0x6001')
  expect(codes).toEqual({ [codeHash]: '0x6001' })
  const account = { nonce: '0x0', balance: '0x0', code_hash: codeHash }
  expect(steps).toEqual([{ after: 0, accounts: { [NOBODY]: account }, storage: {} }])
  await call(devnet, 'hardhat_setBalance', NOBODY, '0xde0b6b3a7640000')
  await call(devnet, 'hardhat_impersonateAccount', NOBODY)
  await call(devnet, 'eth_sendTransaction', { from: NOBODY, to: ALICE, gas: '0x5208' })
  await devnet.clock.advance({ ticks: 1 })
  const [, sent] = await take(2)
  expect(Object.values(sent?.metadata.senders ?? {})).toEqual([NOBODY])
  expect(Object.keys(sent?.metadata.senders ?? {})).toEqual(
    Object.keys(sent?.metadata.receipts ?? {}),
  )
  await call(devnet, 'hardhat_setStorageAt', ALICE, '0x1', `0x${'00'.repeat(31)}2a`)
  const [step] = await take(1)
  expect(step?.metadata.steps).toEqual([
    {
      after: 1,
      kind: 'setStorage',
      address: ALICE,
      slot: `0x${'00'.repeat(31)}01`,
      value: `0x${'00'.repeat(31)}2a`,
      accounts: {},
      storage: { [ALICE]: { [`0x${'00'.repeat(31)}01`]: '0x2a' } },
    },
  ])
})

test('every client gets the same from its next message on, and nothing of before', async () => {
  const devnet = await start()
  const first = await connect(devnet)
  await transfer(devnet)
  await first.take(1)
  const second = await connect(devnet)
  await transfer(devnet)
  const [[one], [other]] = [await first.take(1), await second.take(1)]
  expect(one).toEqual(other)
  expect([one?.index, one?.base]).toEqual([2, undefined])
  first.socket.close()
  await once(first.socket, 'close')
  await transfer(devnet)
  expect((await second.take(1)).map(({ index }) => index)).toEqual([3])
})

test('with compress=br the frames are binary, and in the same order', async () => {
  const devnet = await start()
  const plain = await connect(devnet)
  const { frames } = await connect(devnet, '?compress=br')
  for (let tick = 0; tick < 20; tick++) await transfer(devnet)
  const messages = await plain.take(20)
  await expect.poll(() => frames.length, { timeout: 20_000 }).toBe(20)
  expect(frames.every(({ isBinary }) => isBinary)).toBe(true)
  expect(frames.map(({ data }) => JSON.parse(brotliDecompressSync(data).toString()))).toEqual(
    messages,
  )
})

test('a filter lets through whole messages with a log of an address or with a topic', async () => {
  const devnet = await start()
  const token = artifact('Token')
  const at = getContractAddress({ from: ALICE, nonce: 0n })
  const [transferred = '0x'] = encodeEventTopics({ abi: token.abi, eventName: 'Transfer' })
  const data = encodeDeployData({ ...token, args: [100n] })
  const send = async (request: object) => {
    await call(devnet, 'eth_sendTransaction', { from: ALICE, gas: '0x1e8480', ...request })
    await devnet.clock.advance({ ticks: 1 })
  }
  await send({ data })
  const to32 = `0x${'00'.repeat(12)}${NOBODY.slice(2)}`
  const clients = await Promise.all(
    [
      '',
      `/filter?addresses=${at},${NOBODY}`,
      `/filter?topics=${to32}`,
      `/filter?addresses=${NOBODY}&topics=${transferred}`,
      `/filter?addresses=${NOBODY}&topics=${transferred}&match=all`,
      `/filter?addresses=${at}&topics=${to32}&match=all`,
    ].map((rest) => connect(devnet, rest)),
  )
  const move = (amount: bigint, to: Hex) =>
    send({
      to: at,
      data: encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [to, amount] }),
    })
  await move(1n, ALICE)
  await devnet.clock.advance({ ticks: 1 })
  await move(2n, NOBODY)
  await transfer(devnet)
  await clients[0]?.take(4)
  // All clients are served in the same turn, or in later ones.
  const counts = () => clients.slice(1).map(({ frames }) => frames.length)
  await expect.poll(counts).toEqual([2, 1, 2, 0, 1])
})

test.each([
  ['?compress=gzip', 'compress must be br, not \\"gzip\\"'],
  ['?addresses=0x', '/flashblocks takes compress, not \\"addresses\\"'],
  ['/other', 'the stream is at /flashblocks, and filtered at /flashblocks/filter'],
  ['/filter', 'nothing to filter by: give addresses or topics'],
  ['/filter?topics=0x12', 'topics must be 0x and 64 hexadecimal digits, with commas between'],
  [`/filter?addresses=${NOBODY}&match=some`, 'match must be any or all, not \\"some\\"'],
])('a wrong path or query is refused with a sentence: %s', async (rest, problem) => {
  const devnet = await start()
  const answer = await upgrade(devnet.flashblocksUrl, rest)
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(answer).toContain('Content-Type: application/json')
  expect(answer).toContain(`{"message":"${problem}`)
})

/** What a server answers to a request for a WebSocket, which it refuses. */
function upgrade(url: string, rest = '', headers: Readonly<Record<string, string>> = {}) {
  const { host, pathname, port } = new URL(url)
  const request = {
    Host: host,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': 13,
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }
  return exchange(Number(port), head(`GET ${pathname}${rest}`, request))
}

test('foreign hosts and origins are refused, as everywhere', async () => {
  const devnet = await start()
  expect(await upgrade(devnet.flashblocksUrl, '', { Host: 'evil.example' })).toMatch(
    /^HTTP\/1\.1 403 .*--allow-host/s,
  )
  expect(await upgrade(devnet.flashblocksUrl, '', { Origin: 'https://evil.example' })).toMatch(
    /^HTTP\/1\.1 403 .*--allow-origin/s,
  )
})

test('one client too many is refused with status 429, until another has left', async () => {
  const devnet = await start({ maxFlashblockClients: 2 })
  const [first] = await Promise.all([connect(devnet), connect(devnet)])
  const answer = await upgrade(devnet.flashblocksUrl)
  expect(answer).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/)
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual({
    message:
      'the node has 2 clients of its flashblock stream, which is the limit; close another first, or start the node with a higher --max-flashblock-clients',
  })
  first.socket.close()
  await once(first.socket, 'close')
  const third = await connect(devnet)
  await transfer(devnet)
  await third.take(1)
  // JSON-RPC has a limit of its own.
  await openWebSocket(devnet.url)
})

test('a client that does not read is disconnected, and the others get everything', async () => {
  const devnet = await start()
  const reader = await connect(devnet)
  const slow = new WebSocket(devnet.flashblocksUrl)
  onTestFinished(() => slow.terminate())
  await once(slow, 'open')
  slow.pause()
  const data = `0x${'ff'.repeat(100_000)}`
  const closed = once(slow, 'close')
  for (let sent = 0; sent < 30; sent++) {
    for (let each = 0; each < 4; each++) {
      await call(devnet, 'eth_sendTransaction', { from: ALICE, to: NOBODY, data, gas: '0xf42400' })
    }
    await devnet.clock.advance({ blocks: 1 })
  }
  const indexes = (await reader.take(60)).map(({ index }) => index)
  expect(indexes).toEqual(Array.from({ length: 30 }, () => [1, 0]).flat())
  slow.resume()
  expect((await closed)[0]).toBe(1013)
})

test('a client that answers no ping is disconnected, others are pinged again', async () => {
  const { chain } = await createTestChain()
  const load = async () =>
    createFlashblockRoutes({
      chain,
      faults: () => undefined,
      profile: profileOf('plain'),
      limits: withDefaults({ pingInterval: 30 }),
      maxClients: 2,
      onInternalError: (error) => expect.unreachable(String(error)),
    })
  const { url } = await startServer({ routes: [{ path: '/flashblocks', load }] })
  const healthy = await openWebSocket(`${url}/flashblocks`)
  let pings = 0
  healthy.on('ping', () => pings++)
  const dead = await openWebSocket(`${url}/flashblocks`, { autoPong: false })
  const [code] = await once(dead, 'close')
  expect(code).toBe(1002)
  await expect.poll(() => pings).toBeGreaterThan(2)
  expect(healthy.readyState).toBe(WebSocket.OPEN)
})

test('what clients send is ignored, and a long message ends the connection', async () => {
  const devnet = await start()
  const { socket, take } = await connect(devnet)
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
  await transfer(devnet)
  expect(await take(1)).toMatchObject([{ index: 1 }])
  socket.send('x'.repeat(2000))
  const [code] = await once(socket, 'close')
  expect(code).toBe(1009)
})

test('without WebSocket the path says what it is', async () => {
  const devnet = await start()
  const response = await fetch(devnet.flashblocksUrl.replace('ws', 'http'))
  expect([response.status, await response.text()]).toEqual([
    426,
    'The stream of flashblocks is a WebSocket: connect to it at /flashblocks.\n',
  ])
})

test('a port of its own serves the stream and nothing else', async () => {
  const devnet = await start({ flashblocksPort: 0 })
  const { take } = await connect(devnet)
  await transfer(devnet)
  await take(1)
  const own = devnet.flashblocksUrl.replace('ws', 'http').replace('/flashblocks', '')
  expect(own).not.toBe(devnet.url)
  const answer = await fetch(own, {
    method: 'POST',
    headers: JSON_HEADERS,
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
  })
  expect(await answer.json()).toMatchObject({
    error: { code: -32601, message: 'the flashblock stream on this port is at /flashblocks' },
  })
  // Not taken for a WebSocket for JSON-RPC, which would be silent.
  const elsewhere = await fetch(`${devnet.url}/flashblocks`)
  const { flashblocksUrl: url } = devnet
  expect([elsewhere.status, await elsewhere.text()]).toEqual([
    404,
    `There is no stream of flashblocks here: the stream is at ${url}.\n`,
  ])
  expect(await upgrade(`${devnet.url.replace('http', 'ws')}/flashblocks`)).toMatch(
    new RegExp(`^HTTP/1.1 404 Not Found\r\n.*"message":"the stream is at ${url}"`, 's'),
  )
})

test('error: the port of its own is taken', async () => {
  const other = await start()
  const flashblocksPort = Number(new URL(other.url).port)
  await expect(start({ flashblocksPort })).rejects.toThrow(
    `Port ${flashblocksPort} on 127.0.0.1 is in use: stop the other process, or choose another port with --flashblocks-port (0 picks a free one).`,
  )
})

test('error: the port of the wallet is taken', async () => {
  const other = await start()
  const walletPort = Number(new URL(other.url).port)
  await expect(start({ walletPort })).rejects.toThrow('with --wallet-port (0 picks a free one).')
})

test('the node closes the stream when it stops, and has no address before it starts', async () => {
  const devnet = createDevnet({ port: 0, frozenTicks: true })
  expect(() => devnet.flashblocksUrl).toThrow('not started')
  await devnet.start()
  const { socket } = await connect(devnet)
  const closed = once(socket, 'close')
  await devnet.stop()
  expect((await closed)[0]).toBe(1001)
  expect(() => devnet.flashblocksUrl).toThrow('stopped')
})

test('error: profile base has no stream, and says so', async () => {
  const devnet = await start({ profile: 'base' })
  const sentence = '--profile base has no flashblocks: subscribe to newHeads and logs instead'
  const response = await fetch(devnet.flashblocksUrl.replace('ws', 'http'))
  expect([response.status, await response.text()]).toEqual([
    404,
    `There is no stream of flashblocks here: ${sentence}.\n`,
  ])
  const socket = new WebSocket(devnet.flashblocksUrl)
  const [, refused] = await once(socket, 'unexpected-response')
  const [body] = await once(refused, 'data')
  expect([refused.statusCode, JSON.parse(String(body))]).toEqual([404, { message: sentence }])
})
