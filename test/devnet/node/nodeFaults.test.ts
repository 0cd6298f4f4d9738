import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import WebSocket from 'ws'
import { PLACES } from '../../../devnet/faults/faultPlaces.ts'
import type { FaultEvent, FaultRule, Hex } from '../../../devnet/index.ts'
import { createDevnet, type OptionsInput } from '../../../devnet/index.ts'

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

test('each fault that fires is an event', async () => {
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

test('truncate and reorg tell what they take out, and how much', async () => {
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

test('a refused answer has the HTTP status that a rule gives', async () => {
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
  const result: unknown = JSON.parse('['.repeat(9_000) + ']'.repeat(9_000))
  await expect(set({ kind: 'corruptAnswer', method: 'eth_chainId', result })).rejects.toThrow(
    'rules[0].result: want a value of JSON, nested at most 1000 deep',
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
] as const)('%s, for all clients alike', async (kind, all, logging) => {
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
  'a swapped message comes with the next one under other rules, too: %j',
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

test('cutSockets breaks off the sockets of both kinds, which may come again', async () => {
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

describe('on a replica', () => {
  async function replica(rules: readonly unknown[]) {
    const first = await start()
    const follow = first.flashblocksUrl
    const faults = await fileOf(JSON.stringify({ rules }))
    const second = await start({ faults, follow, frozenTicks: false, timestamp: undefined })
    const events: FaultEvent[] = []
    second.on('fault', (event) => events.push(event))
    const fired = async () =>
      (await second.faults()).faults?.rules.map((rule) => [rule.kind, rule.fired])
    return { first, second, events, fired }
  }

  const kinds = Object.entries(PLACES)

  test.each(kinds.filter(([, place]) => place === 'blocks'))(
    'error: %s, by file and by method alike',
    async (kind) => {
      const first = await start()
      const follow = first.flashblocksUrl
      const ms = kind.startsWith('delay') ? { ms: 1 } : {}
      const rules = [{ kind: 'loseSlice' }, { kind, ...ms }]
      const refused = `rules[1].kind: this node follows ${follow}, which decides on ticks and seals: set this rule there`
      const file = await fileOf(JSON.stringify({ rules }))
      const options = { follow, frozenTicks: false, timestamp: undefined }
      await expect(start({ ...options, faults: file })).rejects.toThrow(
        `faults: the rules in ${JSON.stringify(file)} cannot be used: ${refused}.`,
      )
      const second = await start(options)
      const asked = second.provider.request({ method: 'preconf_faults', params: [{ rules }] })
      await expect(asked).rejects.toMatchObject({ code: -32602, message: refused })
      expect((await second.faults()).faults).toBe(undefined)
    },
  )

  test('error: a wrong rule is the same one as elsewhere, before anything is connected', async () => {
    const follow = 'ws://127.0.0.1:1/flashblocks'
    const faults = await fileOf('{"rules":[{"kind":"drop","next":0}]}')
    await expect(start({ faults, follow, timestamp: undefined })).rejects.toThrow(
      'rules[0].next: want at least 1',
    )
  })

  test('answers are refused, late and wrong, and only its own', async () => {
    const { first, second, fired } = await replica([
      { kind: 'refuseAnswer', method: 'eth_chainId' },
      { kind: 'corruptAnswer', method: 'eth_blockNumber', result: '0x99' },
      { kind: 'delayAnswer', method: 'eth_gasPrice', ms: 1 },
    ])
    const ask = (node: typeof first, method: string) => node.provider.request({ method })
    await expect(ask(second, 'eth_chainId')).rejects.toMatchObject({ code: -32000 })
    expect(await ask(second, 'eth_blockNumber')).toBe('0x99')
    expect(await ask(second, 'eth_gasPrice')).toBe(await ask(first, 'eth_gasPrice'))
    expect([await ask(first, 'eth_chainId'), await ask(first, 'eth_blockNumber')]).toEqual([
      '0x7a69',
      '0x0',
    ])
    expect(await fired()).toEqual([
      ['refuseAnswer', 1],
      ['corruptAnswer', 1],
      ['delayAnswer', 1],
    ])
  })

  test('its own stream loses, doubles and swaps messages', async () => {
    const { first, second, fired } = await replica([
      { kind: 'loseSlice', index: 1 },
      { kind: 'duplicateSlice', index: 2 },
      { kind: 'swapSlices', index: 3 },
    ])
    const [own, other] = [await reader(second.flashblocksUrl), await reader(first.flashblocksUrl)]
    await first.clock.seal()
    await first.clock.advance({ ticks: 4 })
    expect(await other.take(5)).toEqual(['2.0', '2.1', '2.2', '2.3', '2.4'])
    expect(await own.take(5)).toEqual(['2.0', '2.2', '2.2', '2.4', '2.3'])
    expect((await fired())?.map(([, count]) => count)).toEqual([1, 1, 1])
  })

  test('its clients are cut off after a tick that it has followed', async () => {
    const { first, second, events } = await replica([{ kind: 'cutSockets', block: 2, tick: 1 }])
    const { socket: stream, take } = await reader(second.flashblocksUrl)
    const { socket: rpc } = await open(second.url.replace('http', 'ws'))
    const { socket: other } = await reader(first.flashblocksUrl)
    const closed = Promise.all([once(stream, 'close'), once(rpc, 'close')])
    await first.clock.advance({ ticks: 2 })
    await first.clock.seal()
    await first.clock.advance({ ticks: 1 })
    expect((await take(4)).slice(2)).toEqual(['2.0', '2.1'])
    expect([stream.readyState, rpc.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN])
    await first.clock.advance({ ticks: 1 })
    expect((await closed).map(([code]) => code)).toEqual([1006, 1006])
    expect(other.readyState).toBe(WebSocket.OPEN)
    expect(events).toMatchObject([{ kind: 'cutSockets', rule: 0, block: 2, tick: 1 }])
    // It follows on.
    const again = await reader(second.flashblocksUrl)
    await first.clock.advance({ ticks: 1 })
    expect(await again.take(1)).toEqual(['2.3'])
  })
})
