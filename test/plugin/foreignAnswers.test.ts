import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { DevnetError, OptionError } from '../../devnet/primitives/errors.ts'
import { connectWallet } from '../../devnet/wallet/connectWallet.ts'
import { conformance } from '../../plugin/conformance/index.ts'
import { Socket } from '../../plugin/conformance/wire.ts'
import { callNode } from '../../plugin/rpc-client.ts'
import { runControlTask } from '../../plugin/tasks/control-task.ts'
import { runReport } from '../../plugin/tasks/report-task.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** All clients of the program; each rejects, or resolves with the words of a failure. */
const CLIENTS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  status: (url) => callNode({ url }, { method: 'preconf_status' }),
  seal: (url) => runControlTask('seal', { url }, {}),
  advance: (url) => runControlTask('advance', { url, ticks: '1' }, {}),
  report: (url) => runReport({ url, hash: `0x${'ab'.repeat(32)}` }, {}),
  conformance: (url) => conformance(url, { profile: 'plain', ws: 'none' }),
  connectWallet: (url) => connectWallet({ url: `${url}/wallet`, token: 'a'.repeat(16) }).state(),
}

const answer = (fields: object) => (response: ServerResponse) => {
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...fields }))
}

/** How an endpoint answers. */
const ENDPOINTS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'an endless body': (response) => {
    const chunk = Buffer.alloc(1 << 20, '0')
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', more)
    more()
  },
  'no JSON': (response) => response.end('no'),
  'an empty body': (response) => response.end(),
  'deep JSON': (response) => response.end('['.repeat(1_000_000)),
  'an error that has a toString': answer({
    error: { code: { valueOf: 1 }, message: { toString: 1 }, toString: 1 },
  }),
  'a result that has a toString': answer({ result: { toString: 1, valueOf: 1 } }),
  'a quantity of 8 MB': answer({ result: `0x${'f'.repeat(8 << 20)}` }),
}

async function serve(respond: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => respond(response))
  })
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has no path.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The one sentence that a client ends with. */
async function failure(client: string, url: string): Promise<string> {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const outcome = await CLIENTS[client]?.(url).catch((error: unknown) => error)
  const error = Object(outcome).error ?? outcome
  // Those of the wallet, which a test makes, are plain errors.
  const isForUser = error instanceof DevnetError || error instanceof OptionError
  if (client !== 'connectWallet' && typeof error !== 'string') expect(isForUser).toBe(true)
  return error instanceof Error ? error.message : String(error)
}

describe.each(Object.keys(CLIENTS))('%s', (client) => {
  test.each(Object.keys(ENDPOINTS))('%s', async (endpoint) => {
    // The answer of a wallet may be any object.
    if (client === 'connectWallet' && /result|quantity/.test(endpoint)) return
    const said = await failure(client, await serve(ENDPOINTS[endpoint] ?? answer({})))
    expect(said).toMatch(/^(?:[A-Z]|http:)[^\n]{10,600}[.)a-z0-9…]$/)
    expect(said).not.toMatch(/convert object|TypeError|is not a function/)
  })

  test('silence', async () => {
    const end = new AbortController()
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(end.signal)
    const url = await serve(() => end.abort())
    expect(await failure(client, url)).toMatch(/in time|cannot be reached/)
  })
})

test('a WebSocket that floods, and one whose errors are objects', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  await new Promise((resolve) => server.once('listening', resolve))
  server.on('connection', (socket, { url }) => {
    const text = JSON.stringify({ text: '0'.repeat(1 << 20) })
    const flood = (): void => {
      if (socket.readyState === socket.OPEN) socket.send(text, flood)
    }
    socket.on('message', (data) => {
      const { id } = JSON.parse(String(data))
      if (url === '/flood') flood()
      else socket.send(JSON.stringify({ id, error: { code: {}, message: { toString: 1 } } }))
    })
  })
  // A server that listens on a port has no path.
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const wrong = await Socket.open(url, {})
  expect(await wrong.subscribe('newHeads')).toEqual({ error: { code: NaN, message: '' }, told: [] })
  wrong.close()
  const flooding = await Socket.open(`${url}/flood`, {})
  expect(await flooding.subscribe('newHeads')).toMatchObject({
    error: { message: 'more messages than can be read' },
  })
  flooding.close()
})
