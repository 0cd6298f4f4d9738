import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createDispatch } from '../../../../devnet/rpc/dispatch.ts'
import { methodTable } from '../../../../devnet/rpc/methodTable.ts'
import { startServer } from '../../../../devnet/server/server.ts'
import { countHeld } from '../../execution/held.ts'
import { createRpcChain } from './rpcChain.ts'

const CODE = '0x00000000000000000000000000000000c0de0001'
const BLAKE2F = '0x0000000000000000000000000000000000000009'
const loop = { [CODE]: { code: '0x5b5f56' } }
/** 40 million rounds, which take some 15 s. */
const rounds = { to: BLAKE2F, data: `0x02625a00${'00'.repeat(208)}01` }

const endlessSimulation = { blockStateCalls: [{ stateOverrides: loop, calls: [{ to: CODE }] }] }

/** Requests that would go on for a minute. */
const ENDLESS: [string, string, unknown[]][] = [
  ['a simulation', 'eth_simulateV1', [endlessSimulation, 'pending']],
  [
    'a simulation in a precompile',
    'eth_simulateV1',
    [{ blockStateCalls: [{ calls: [rounds] }] }, 'latest'],
  ],
  ['a call', 'eth_call', [{ to: CODE }, 'pending', loop]],
  ['a call in a precompile', 'eth_call', [rounds, 'latest']],
  ['an estimate', 'eth_estimateGas', [{ to: CODE }, 'pending', loop]],
]

async function createListening() {
  const node = await createRpcChain({
    // A block may hold more than any call could use up in the time of a test.
    gasLimit: Number.MAX_SAFE_INTEGER,
    callGasLimit: Number.MAX_SAFE_INTEGER,
    simulateTimeout: 60_000,
    hardfork: 'prague',
  })
  const defects: unknown[] = []
  const dispatch = createDispatch({
    context: node.context,
    methods: methodTable,
    maxBatch: 10,
    onInternalError: (defect) => defects.push(defect),
  })
  const server = await startServer({ hostname: '127.0.0.1', port: 0, dispatch })
  const { url, port } = server.address
  onTestFinished(() => server.stop())
  // The first machine, and the files of the methods.
  await node.call('eth_call', { to: CODE })
  await node.call('eth_estimateGas', { to: CODE })
  await node.call('eth_simulateV1', { blockStateCalls: [{}] })
  const held = await countHeld(node)
  return { ...node, url, port, defects, held, stop: () => server.stop() }
}

type Listening = Awaited<ReturnType<typeof createListening>>

/** Waits until a request runs; then for the end of what it holds. */
async function untilRunning({ held }: Listening): Promise<void> {
  while (held.taken() === 0 || held.versions() === 0) await turn()
  for (let turns = 0; turns < 5; turns++) await turn()
}

async function expectFreed({ held, defects, call }: Listening): Promise<void> {
  const start = performance.now()
  while (held.versions() > 0) await turn()
  expect(performance.now() - start).toBeLessThan(2000)
  expect(await held.lost()).toBe(0)
  expect(defects).toEqual([])
  expect(await call('eth_call', { to: CODE }, 'pending')).toBe('0x')
}

const text = (method: string, params: unknown[]) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

test.each(ENDLESS)('%s, over HTTP', async (_, method, params) => {
  const node = await createListening()
  const socket = connect(node.port, '127.0.0.1')
  await once(socket, 'connect')
  const body = text(method, params)
  socket.write(
    `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await untilRunning(node)
  socket.destroy()
  await expectFreed(node)
})

test.each(ENDLESS)('%s, over HTTP by fetch', async (_, method, params) => {
  const node = await createListening()
  const stop = new AbortController()
  const answer = fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text(method, params),
    signal: stop.signal,
  }).catch((error: Error) => error.name)
  await untilRunning(node)
  stop.abort()
  expect(await answer).toBe('AbortError')
  await expectFreed(node)
})

test.each(ENDLESS)('%s, over WebSocket', async (_, method, params) => {
  const node = await createListening()
  const socket = new WebSocket(node.url.replace('http', 'ws'))
  await once(socket, 'open')
  socket.send(text(method, params))
  await untilRunning(node)
  socket.close()
  await expectFreed(node)
})

test('a batch ends as a whole', async () => {
  const node = await createListening()
  const stop = new AbortController()
  const batch = ENDLESS.map(([, method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const answer = fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(batch),
    signal: stop.signal,
  }).catch((error: Error) => error.name)
  while (node.held.versions() < batch.length) await turn()
  stop.abort()
  expect(await answer).toBe('AbortError')
  await expectFreed(node)
})

test('a client that stays is answered when the node stops', async () => {
  const node = await createListening()
  const answer = fetch(node.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text('eth_simulateV1', [endlessSimulation]),
  }).then((response) => response.json())
  await untilRunning(node)
  await node.stop()
  expect(await answer).toMatchObject({ error: { code: -32016 } })
  expect(node.held.versions()).toBe(0)
})
