import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import type { FaultEvent, FaultRule, Hex } from '../../devnet/index.ts'
import { createDevnet, type OptionsInput } from '../../devnet/index.ts'

/** A contract that logs something. */
const EMITTER: Hex = `0x${'e1'.repeat(20)}`

async function start(options: OptionsInput = {}) {
  const devnet = createDevnet({
    port: 0,
    wallet: false,
    frozenTicks: true,
    timestamp: 1_800_000_000,
    ...options,
  })
  onTestFinished(() => devnet.stop())
  await devnet.start()
  return devnet
}

async function send(devnet: Awaited<ReturnType<typeof start>>): Promise<Hex> {
  const [from] = devnet.accounts
  const params = [{ from: from?.address, to: from?.address }]
  // The method answers a hash.
  return (await devnet.provider.request({ method: 'eth_sendTransaction', params })) as Hex
}

/** A file of rules, for the time of a test. */
async function fileOf(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'faults-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'faults.json')
  await writeFile(file, content)
  return file
}

test('behavior: each fault that fires is an event', async () => {
  const devnet = await start()
  const events: FaultEvent[] = []
  devnet.on('fault', (event) => events.push(event))
  const { faults } = await devnet.faults({
    rules: [
      { kind: 'skipTick', tick: 1 },
      { kind: 'drop', next: 1 },
      { kind: 'refuseAnswer', method: 'eth_chainId' },
    ],
  })
  expect(faults).toMatchObject({ seed: 1, rules: [{ fired: 0 }, { fired: 0 }, { fired: 0 }] })
  const transaction = await send(devnet)
  await devnet.clock.advance({ ticks: 2 })
  await devnet.clock.seal()
  await expect(devnet.provider.request({ method: 'eth_chainId' })).rejects.toThrow('refused by')
  const none = { transactions: [], depth: null, method: null }
  expect(events).toEqual([
    { kind: 'skipTick', rule: 0, block: 1, tick: 1, ...none },
    { kind: 'drop', rule: 1, block: 1, tick: 2, ...none, transactions: [transaction] },
    { kind: 'refuseAnswer', rule: 2, block: 2, tick: 0, ...none, method: 'eth_chainId' },
  ])
})

test('behavior: truncate and reorg tell what they take out, and how much', async () => {
  const devnet = await start()
  const events: FaultEvent[] = []
  devnet.on('fault', (event) => events.push(event))
  const rules = [
    { kind: 'truncate', slices: 9, block: 1 },
    { kind: 'reorg', depth: 9, block: 3 },
  ] as const
  await devnet.faults({ rules })
  const hash = await send(devnet)
  for (let block = 0; block < 3; block++) await devnet.clock.advance({ blocks: 1 })
  const about = { transactions: [hash], method: null }
  expect(events).toEqual([
    { kind: 'truncate', rule: 0, block: 1, tick: 1, depth: 1, ...about },
    { kind: 'reorg', rule: 1, block: 3, tick: 1, depth: 3, ...about },
  ])
})

test('behavior: a refused answer has the HTTP status that a rule gives', async () => {
  const devnet = await start()
  const rule = { kind: 'refuseAnswer', method: 'eth_chainId', status: 429 } as const
  await devnet.faults({ rules: [rule] })
  const post = (...methods: string[]) => {
    const requests = methods.map((method, id) => ({ jsonrpc: '2.0', id, method }))
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify(requests.length === 1 ? requests[0] : requests)
    return fetch(devnet.url, { method: 'POST', headers, body })
  }
  const refused = await post('eth_chainId')
  expect(refused.status).toBe(429)
  expect(await refused.json()).toMatchObject({ error: { code: -32000 } })
  expect((await post('eth_blockNumber')).status).toBe(200)
  const batch = await post('eth_blockNumber', 'eth_chainId')
  expect(batch.status).toBe(429)
  expect(await batch.json()).toMatchObject([{ result: '0x0' }, { error: { code: -32000 } }])
})

test('error: a wrong rule changes nothing', async () => {
  const devnet = await start()
  await devnet.faults({ rules: [{ kind: 'reorder' }] })
  const set = (...rules: unknown[]) =>
    // As JavaScript may pass anything.
    devnet.faults({ rules: rules as FaultRule[] })
  await expect(set({ kind: 'drop', form: '0x' })).rejects.toThrow('rules[0]: unknown field "form"')
  await expect(set({ kind: 'refuseAnswer', method: 'eth_calls' })).rejects.toThrow(
    'rules[0].method: the method "eth_calls" does not exist',
  )
  const from = EMITTER
  await expect(set({ kind: 'delayAnswer', method: 'eth_chainId', from, ms: 1 })).rejects.toThrow(
    'rules[0].from: no request of eth_chainId names a sender',
  )
  expect((await devnet.faults()).faults?.rules).toEqual([{ kind: 'reorder', fired: 0 }])
})

describe('options: faults', () => {
  test('default', async () => {
    const faults = await fileOf('{"rules":[{"kind":"drop","next":1}],"seed":3}')
    const devnet = await start({ faults })
    const hash = await send(devnet)
    const { dropped, ...status } = await devnet.clock.advance({ blocks: 1 })
    expect(dropped).toMatchObject([{ hash }])
    expect(status.faults).toMatchObject({ seed: 3, rules: [{ kind: 'drop', next: 1, fired: 1 }] })
  })

  test.each([
    ['{"rules":[{"kind":"drop","next":0}]}', 'rules[0].next: want at least 1'],
    ['{"rules":[{"kind":"refuseAnswer","method":"no"}]}', 'rules[0].method: the method "no"'],
    ['{"rules":', 'JSON'],
  ])('error: %s', async (text, message) => {
    await expect(start({ faults: await fileOf(text) })).rejects.toThrow(message)
  })

  test('error: no such file', async () => {
    await expect(start({ faults: '/nowhere/faults.json' })).rejects.toThrow('/nowhere/faults.json')
  })

  test('error: with follow', async () => {
    const options = { faults: 'faults.json', follow: 'ws://127.0.0.1:1/flashblocks' }
    expect(() => createDevnet(options)).toThrow('follow cannot be combined with faults')
  })
})

/** A client of the flashblock stream, and the places of the messages that it has got. */
async function reader(url: string) {
  const socket = new WebSocket(url)
  onTestFinished(() => socket.terminate())
  const places: string[] = []
  let told = Promise.withResolvers<void>()
  socket.on('message', (data: Buffer, isBinary) => {
    const text = isBinary ? brotliDecompressSync(data) : data
    const { index, metadata } = JSON.parse(String(text))
    places.push(`${metadata.block_number}.${index}`)
    told.resolve()
    told = Promise.withResolvers()
  })
  await once(socket, 'open')
  return {
    socket,
    async take(count: number): Promise<string[]> {
      while (places.length < count) await told.promise
      return [...places]
    },
  }
}

test.each([
  ['duplicateSlice', ['2.1', '2.2', '2.2', '2.3', '3.0', '3.1'], ['2.2', '2.2', '2.3']],
  ['loseSlice', ['2.1', '2.3', '3.0', '3.1'], ['2.3']],
  ['swapSlices', ['2.1', '2.3', '2.2', '3.0', '3.1'], ['2.3', '2.2']],
] as const)('behavior: %s, for all clients alike', async (kind, all, logging) => {
  const devnet = await start()
  const { flashblocksUrl: url, provider, clock, accounts } = devnet
  await provider.request({ method: 'hardhat_setCode', params: [EMITTER, '0x5f5fa0'] })
  await clock.seal()
  await devnet.faults({ rules: [{ kind, block: 2, index: 2 }] })
  const query = `addresses=${EMITTER}`
  const clients = await Promise.all(
    ['', '?compress=br', `/filter?${query}`, `/filter?${query}&compress=br`].map((rest) =>
      reader(`${url}${rest}`),
    ),
  )
  const from = accounts[0]?.address
  for (const to of [from, EMITTER, EMITTER]) {
    await provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to, gas: '0x186a0' }],
    })
    await clock.advance({ ticks: 1 })
  }
  await clock.seal()
  await provider.request({ method: 'eth_sendTransaction', params: [{ from, to: EMITTER }] })
  await clock.advance({ ticks: 1 })
  const [plain, compressed, filtered, both] = clients
  expect(await plain?.take(all.length)).toEqual(all)
  expect(await compressed?.take(all.length)).toEqual(all)
  const matching = [...logging, '3.1']
  expect(await filtered?.take(matching.length)).toEqual(matching)
  expect(await both?.take(matching.length)).toEqual(matching)
  expect((await clock.status()).faults?.rules).toMatchObject([{ fired: 1 }])
})

test.each([[{ rules: [] }], [{ rules: [{ kind: 'swapSlices', block: 9 }] }]] as const)(
  'behavior: a swapped message comes with the next one under other rules, too: %j',
  async (later) => {
    const devnet = await start()
    await devnet.clock.seal()
    const { take } = await reader(devnet.flashblocksUrl)
    await devnet.faults({ rules: [{ kind: 'swapSlices', block: 2, index: 1 }] })
    await devnet.clock.advance({ ticks: 1 })
    await devnet.faults(later)
    await devnet.clock.advance({ ticks: 2 })
    expect(await take(3)).toEqual(['2.2', '2.1', '2.3'])
  },
)

test('behavior: cutSockets breaks off the sockets of both kinds, which may come again', async () => {
  const devnet = await start()
  const url = devnet.url.replace('http', 'ws')
  await devnet.faults({ rules: [{ kind: 'cutSockets', tick: 1 }] })
  const { socket: stream } = await reader(devnet.flashblocksUrl)
  const { socket: rpc } = await open(url)
  const closed = Promise.all([once(stream, 'close'), once(rpc, 'close')])
  await devnet.clock.advance({ ticks: 1 })
  expect([stream.readyState, rpc.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN])
  await devnet.clock.advance({ ticks: 1 })
  // Abnormal: without a closing handshake.
  expect((await closed).map(([code]) => code)).toEqual([1006, 1006])
  const again = await open(url)
  again.socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}')
  const [answer] = await once(again.socket, 'message')
  expect(String(answer)).toContain('0x7a69')
})

async function open(url: string) {
  const socket = new WebSocket(url)
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  return { socket }
}
