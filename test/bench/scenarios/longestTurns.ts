import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { WebSocket } from 'ws'
import { CODE, writeHostileProject } from '../hostileProject.ts'
import type { HttpConnection } from '../httpConnection.ts'
import { batchBytes, call, requestBytes, send } from '../rpc.ts'
import type { Measurement, Scenario } from '../scenario.ts'
import { TickWatch } from '../tickWatch.ts'
import { senders, Traffic } from '../traffic.ts'

const CALLEE = '0x00000000000000000000000000000000000c0de0'

/** Counts down from a number: a trace of 600 bytes a time. */
const loop = (times: number) => `0x62${times.toString(16).padStart(6, '0')}5b600190038060045700`

/** PUSH1 behind a STOP. */
const pushes = (count: number) => `0x00${'60'.repeat(count)}`

const CONNECTIONS = 10
const SUBSCRIPTIONS = 1000

/** Requests of a client that does not wait for answers. */
const FLOOD = 20_000

/** Clients of the flashblock stream. */
const CLIENTS = 1000

/** Transactions of the block that is traced, and how many of them are traced together. */
const TRANSACTIONS = 450
const TRACES = 200

/** Transactions behind a nonce gap, and those of a batch; branches beside and inside each other. */
const WAITING = 100_000
const BATCH = 1000
const BRANCHES = 1000
const NESTED = 500

/** As many as a node takes. */
const MOST_SLOTS = 12_000
const MOST_TYPES = 250

/** Whether one request of much work, or messages to many clients, hold up everybody else. */
export const longestTurns: Scenario = {
  name: 'longestTurns',
  about:
    'the longest turn of the event loop while one client asks for much: a state of 100,000 accounts, a trace of 60 MB, 20,000 requests at once, large parameters, 10,000 subscriptions, 100,000 waiting transactions, 1,000 branches, a hostile project, and the like',
  peers: ['ours'],
  async measure() {
    await using devnet = await TickWatch.start({ maxFlashblockClients: CLIENTS })
    const [connection] = devnet.connect(1)
    if (connection === undefined) throw new Error('No connection')
    const longest = longestOf(devnet)
    const overriding = (code: string) => ({ [CALLEE]: { code } })
    const traceOf = (times: number) =>
      requestBytes({
        method: 'debug_traceCall',
        params: [
          { to: CALLEE },
          'latest',
          { stateOverrides: overriding(loop(times)), timeout: '60s' },
        ],
      })
    const runOf = (count: number) =>
      requestBytes({
        method: 'eth_call',
        params: [{ to: CALLEE }, 'latest', overriding(pushes(count))],
      })
    const loadOf = (accounts: number) =>
      requestBytes({ method: 'anvil_loadState', params: [stateOf(accounts)] })
    const overridden = (method: string) => (count: number) => {
      const stateOverrides = { [CALLEE]: { stateDiff: slotsOf(count) } }
      const calls = [{ to: CALLEE }]
      if (method === 'eth_simulateV1') {
        return requestBytes({ method, params: [{ blockStateCalls: [{ stateOverrides, calls }] }] })
      }
      const last = method === 'debug_traceCall' ? { stateOverrides } : stateOverrides
      return requestBytes({ method, params: [...calls, 'latest', last] })
    }
    const requests: readonly (readonly [string, (size: number) => Buffer, number])[] = [
      ['trace', traceOf, 100_000],
      ['code', runOf, 262_143],
      ['load', loadOf, 100_000],
      ...['eth_call', 'eth_estimateGas', 'debug_traceCall', 'eth_simulateV1'].map(
        (method) => [`overrides of ${method}`, overridden(method), MOST_SLOTS] as const,
      ),
      ['typed data', typedDataOf, MOST_TYPES],
    ]
    // Loads what they need.
    for (const [, make] of requests) await send(connection, make(100))
    const measured = [...(await measureBlock(devnet, connection, longest))]
    const [from] = senders
    const pay = async () => {
      await call(connection, {
        method: 'eth_sendTransaction',
        params: [{ from: from?.address, to: CALLEE, value: '0x1', gas: '0xffff' }],
      })
      // The next tick.
      await sleep(250)
    }
    await pay()
    const sockets = await subscribers(devnet.socketUrl)
    const fanOut = await longest('10,000 subscribers', async () => {
      for (let tick = 0; tick < 10; tick++) await pay()
    })
    for (const socket of sockets) socket.terminate()
    measured.push(fanOut)
    for (const bytes of [slotsTooMany(), junk()]) {
      measured.push(await longest('5 MB that are refused', () => connection.request(bytes)))
    }
    measured.push(...(await measureFloods(devnet, longest)))
    measured.push(...(await measureCrowds()), ...(await measureProject()))
    for (const [what, make, size] of requests) {
      const bytes = make(size)
      measured.push(await longest(what, () => send(connection, bytes)))
    }
    return measured
  },
}

type Longest = (what: string, work: () => Promise<unknown>) => Promise<Measurement>

function longestOf(devnet: TickWatch): Longest {
  return async (what, work) => {
    devnet.begin()
    await work()
    const { longestTurn: value } = await devnet.end()
    return { metric: what, unit: 'ms', better: 'lower', value }
  }
}

/** Lists of many waiting transactions, and the ticks and the end of many branches. */
async function measureCrowds(): Promise<readonly Measurement[]> {
  await using devnet = await TickWatch.start({ mempoolSize: WAITING, maxBranches: BRANCHES })
  const [connection] = devnet.connect(1)
  if (connection === undefined) throw new Error('No connection')
  const longest = longestOf(devnet)
  const ask = (method: string, ...params: readonly unknown[]) =>
    call(connection, { method, params })
  const open = async () => ((await ask('preconf_branch')) as { readonly path: string }).path
  const paths: string[] = []
  while (paths.length < BRANCHES) paths.push(await open())
  const measured = [await longest(`${BRANCHES} branches tick`, () => sleep(2000))]
  for (const path of paths) await ask('preconf_dropBranch', path.replace('/branch/', ''))
  await using nested = await TickWatch.start({ maxBranches: BRANCHES })
  const first = await nest(nested)
  measured.push(await longestOf(nested)(`drop of a branch ${NESTED} deep`, first))
  const all = senders.map(({ address }) => address)
  for (let at = 0; at < WAITING; at += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) => ({
      method: 'eth_sendTransaction',
      params: [
        {
          from: all[(at + index) % all.length],
          to: CALLEE,
          gas: '0x5208',
          // Behind a gap.
          nonce: `0x${(1 + Math.floor((at + index) / all.length)).toString(16)}`,
        },
      ],
    }))
    await send(connection, batchBytes(batch))
  }
  const methods = ['txpool_content', 'txpool_inspect', 'eth_pendingTransactions'] as const
  for (const method of methods) {
    const bytes = requestBytes({ method })
    measured.push(await longest(`${method} of ${WAITING}`, () => connection.request(bytes)))
  }
  const dropAll = () => ask('hardhat_dropAllTransactions')
  measured.push(await longest(`drop of ${WAITING}`, dropAll))
  return measured
}

/** Opens branches inside each other. @returns what drops the outermost */
async function nest(devnet: TickWatch): Promise<() => Promise<unknown>> {
  const root = devnet.socketUrl.replace('ws', 'http')
  const ask = async (path: string, method: string, ...params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(root + path, { method: 'POST', body, headers })
    // An answer of JSON-RPC.
    return ((await answer.json()) as { readonly result: { readonly path: string } }).result
  }
  const paths = ['']
  while (paths.length <= NESTED) paths.push((await ask(paths.at(-1) ?? '', 'preconf_branch')).path)
  return () => ask('', 'preconf_dropBranch', paths[1]?.replace('/branch/', ''))
}

/** Artifacts of 16 MB, and a layout of types that hold themselves. */
async function measureProject(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'))
  writeHostileProject(folder)
  try {
    await using devnet = await TickWatch.start({}, folder)
    const [connection] = devnet.connect(1)
    if (connection === undefined) throw new Error('No connection')
    await call(connection, { method: 'hardhat_setCode', params: [CALLEE, CODE] })
    const data = `0x${'11'.repeat(32)}`
    const sent = async (fields: object) => {
      const hash = await call(connection, {
        method: 'eth_sendTransaction',
        params: [{ from: senders[0]?.address, gas: '0xffff', ...fields }],
      })
      // The next tick.
      await sleep(500)
      return hash
    }
    const { origin, hash: token } = new URL(devnet.dashboardUrl)
    const ask = async (method: string, params: object) => {
      const answer = await fetch(`${origin}/dashboard/api`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token.replace('#token=', '')}`,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      const text = await answer.text()
      if (!text.includes('"result"')) throw new Error(text.slice(0, 300))
    }
    const longest = longestOf(devnet)
    // Loads what it needs.
    await ask('trace', { hash: await sent({ to: senders[1]?.address }) })
    const hash = await sent({ to: CALLEE, data })
    return [
      await longest('artifacts of 16 MB', () => ask('contracts', {})),
      await longest('a hostile layout', () => ask('trace', { hash })),
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Traces of a block of many transactions, and clients that are told of them. */
async function measureBlock(
  devnet: TickWatch,
  connection: HttpConnection,
  longest: Longest,
): Promise<readonly Measurement[]> {
  const traffic = new Traffic()
  const fill = async (count: number) => {
    await call(connection, { method: 'preconf_freeze' })
    const raws = traffic.transfers(count).map(({ raw }) => raw)
    for (let at = 0; at < count; at += 100) {
      const batch = raws
        .slice(at, at + 100)
        .map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] }))
      await send(connection, batchBytes(batch))
    }
    // The next ticks.
    await sleep(700)
    await call(connection, { method: 'preconf_seal' })
  }
  await fill(TRANSACTIONS)
  const block = await call(connection, {
    method: 'eth_getBlockByNumber',
    params: ['latest', false],
  })
  // A block of this node.
  const { transactions } = block as { readonly transactions: readonly string[] }
  const traces = (tracer: string) =>
    batchBytes(
      transactions
        .slice(-TRACES)
        .map((hash) => ({ method: 'debug_traceTransaction', params: [hash, { tracer }] })),
    )
  const traceBlock = (tracer: string) =>
    requestBytes({ method: 'debug_traceBlockByNumber', params: ['latest', { tracer }] })
  const measured: Measurement[] = []
  for (const tracer of ['prestateTracer', 'callTracer', 'flatCallTracer']) {
    // Loads the library.
    await send(connection, traceBlock(tracer))
    for (const [what, bytes] of [
      [`a block by ${tracer}`, traceBlock(tracer)],
      [`${TRACES} traces by ${tracer} in a batch`, traces(tracer)],
    ] as const) {
      measured.push(await longest(what, () => send(connection, bytes)))
    }
  }
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const client = new WebSocket(`${devnet.socketUrl}/flashblocks`)
      await once(client, 'open')
      return client
    }),
  )
  measured.push(await longest(`${CLIENTS} stream clients`, () => fill(TRANSACTIONS)))
  for (const client of clients) client.terminate()
  await call(connection, { method: 'preconf_resume' })
  return measured
}

/** Requests that do not wait for their answers, over WebSocket and over HTTP. */
async function measureFloods(devnet: TickWatch, longest: Longest): Promise<readonly Measurement[]> {
  const params = ['0x1', true]
  const frame = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params })
  const overWebSocket = async (text: string) => {
    const client = new WebSocket(devnet.socketUrl, { skipUTF8Validation: true })
    await once(client, 'open')
    await new Promise<void>((resolve) => {
      let answers = 0
      client.on('close', () => resolve())
      client.on('message', () => {
        if (++answers === FLOOD) resolve()
      })
      for (let sent = 0; sent < FLOOD; sent++) client.send(text)
    })
    client.terminate()
  }
  const overHttp = async (request: Buffer) => {
    const socket = connect(Number(new URL(devnet.socketUrl).port), '127.0.0.1')
    await once(socket, 'connect')
    await new Promise<void>((resolve) => {
      let answers = 0
      socket.on('close', () => resolve())
      socket.on('data', (chunk) => {
        // One that is cut in two counts in no chunk: the last answers come in the same one.
        answers += chunk.toString('latin1').split('HTTP/1.1 ').length - 1
        if (answers >= FLOOD - 100) resolve()
      })
      socket.write(Buffer.concat(Array.from({ length: FLOOD }, () => request)))
    })
    socket.destroy()
  }
  const health = Buffer.from('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  await fetch(`${devnet.socketUrl.replace('ws', 'http')}/health`)
  return [
    await longest(`${FLOOD} frames at once`, () => overWebSocket(frame)),
    await longest(`${FLOOD} frames of junk`, () => overWebSocket('{')),
    await longest(`${FLOOD} requests pipelined`, () =>
      overHttp(requestBytes({ method: 'eth_getBlockByNumber', params })),
    ),
    await longest(`${FLOOD} pages pipelined`, () => overHttp(health)),
  ]
}

function slotsOf(count: number): Readonly<Record<string, string>> {
  const word = (index: number) => `0x${index.toString(16).padStart(64, '0')}`
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [word(index), word(index + 1)]),
  )
}

/** EIP-712 data with so many types. */
function typedDataOf(count: number): Buffer {
  const names = Array.from({ length: count }, (_, index) => `T${index}`)
  const fields = names.map((type) => ({ name: `of${type}`, type }))
  const types = Object.fromEntries(names.map((name) => [name, [{ name: 'x', type: 'uint256' }]]))
  const message = Object.fromEntries(names.map((name) => [`of${name}`, { x: '1' }]))
  const data = { types: { ...types, All: fields }, primaryType: 'All', domain: {}, message }
  return requestBytes({ method: 'eth_signTypedData_v4', params: [senders[0]?.address, data] })
}

/** Overrides of 5 MB. */
function slotsTooMany(): Buffer {
  const overrides = { [CALLEE]: { stateDiff: slotsOf(35_000) } }
  return requestBytes({ method: 'eth_call', params: [{ to: CALLEE }, 'latest', overrides] })
}

/** 5 MB of empty objects. */
function junk(): Buffer {
  return requestBytes({
    method: 'eth_chainId',
    params: [Array.from({ length: 1_600_000 }, () => ({}))],
  })
}

async function subscribers(url: string): Promise<readonly WebSocket[]> {
  const request = Array.from({ length: SUBSCRIPTIONS }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_subscribe',
    params: ['newFlashblocks'],
  }))
  const sockets: WebSocket[] = []
  for (let index = 0; index < CONNECTIONS; index++) {
    const socket = new WebSocket(url, { skipUTF8Validation: true })
    sockets.push(socket)
    await once(socket, 'open')
    socket.send(JSON.stringify(request))
    const [answer] = await once(socket, 'message')
    if (String(answer).includes('"error"')) throw new Error(`${answer}`.slice(0, 300))
  }
  return sockets
}

/** A state of anvil with so many accounts, as anvil_dumpState answers it. */
function stateOf(count: number): string {
  const accounts = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `0x${(index * 7919 + 1).toString(16).padStart(40, '0')}`,
      {
        nonce: index % 5,
        balance: `0x${(10 ** 12 + index).toString(16)}`,
        code: '0x',
        storage: {},
      },
    ]),
  )
  const state = { accounts, best_block_number: 1, blocks: [], transactions: [] }
  return `0x${gzipSync(JSON.stringify(state)).toString('hex')}`
}
