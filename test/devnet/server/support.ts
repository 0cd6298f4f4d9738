import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import { type ServerOptions, startServer as start } from '../../../devnet/server/server.ts'
import { type FakeNode, fakeNode } from '../rpc/fakeMethods.ts'

/** A server over fake methods, that listens until the test is over. */
export interface TestServer extends FakeNode {
  readonly url: string
  readonly port: number
  /** Defects of the server, not of methods. */
  readonly serverErrors: unknown[]
  stop(): Promise<void>
}

export async function startServer(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const node = fakeNode()
  const serverErrors: unknown[] = []
  const server = await start({
    hostname: '127.0.0.1',
    port: 0,
    dispatch: node.dispatch,
    onInternalError: (error) => serverErrors.push(error),
    ...options,
  })
  const { url, port } = server.address
  onTestFinished(() => server.stop())
  return { ...node, url, port, serverErrors, stop: () => server.stop() }
}

export const JSON_HEADERS = { 'Content-Type': 'application/json' }

export function requestText(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

/** A socket that has connected. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** Everything that comes back for `text`, until the server closes the connection. */
export async function exchange(port: number, text: string): Promise<string> {
  const socket = await openSocket(port)
  socket.write(text)
  return readAll(socket)
}

/** What a socket still has to say. */
export async function readAll(socket: Socket): Promise<string> {
  let received = ''
  socket.setEncoding('utf8')
  for await (const chunk of socket) received += chunk
  return received
}

/** Lines of a request head; the connection closes after the answer unless `headers` say otherwise. */
export function head(start: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${start} HTTP/1.1`, ...lines, '', ''].join('\r\n')
}

/** Origins of pages that may call no edge of a node. */
export const FOREIGN_SITES = [
  'https://evil.example',
  'null',
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  'http://localhost:1@evil.example',
  'http://[::ffff:127.0.0.1]',
  'http://2130706433',
  'http://192.168.1.5:3000',
  'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
]

/** How a WebSocket to `url` ends before it opens. */
export function upgradeStatus(
  url: string,
  headers: Record<string, string>,
): Promise<number | undefined> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers })
  return new Promise((resolve) => {
    socket.once('unexpected-response', (_request, response) => {
      resolve(response.statusCode)
      socket.terminate()
    })
    socket.once('open', () => {
      resolve(101)
      socket.terminate()
    })
    socket.on('error', () => undefined)
  })
}

/** A WebSocket that has opened. */
export async function openWebSocket(url: string, options: ClientOptions = {}): Promise<WebSocket> {
  const client = new WebSocket(url.replace('http', 'ws'), options)
  onTestFinished(() => client.terminate())
  await once(client, 'open')
  return client
}

/** The next message, parsed. */
export async function nextMessage(client: WebSocket): Promise<unknown> {
  const [data] = await once(client, 'message')
  return JSON.parse(String(data))
}
