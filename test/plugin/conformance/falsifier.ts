import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'

/** Changes an answer, or a notification, whose method is `eth_subscription`; or never answers. */
export type Falsify = (method: string, params: readonly unknown[], message: Message) => unknown

/** A message of JSON-RPC: an answer or a notification. */
export interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly subscription: string; readonly result: unknown }
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Stands before a node, over HTTP and WebSocket, and tells something else of it. */
export async function startFalsifier(target: string, falsify: Falsify) {
  const changed = async (request: { method: string; params: unknown[] }, message: Message) =>
    JSON.stringify((await falsify(request.method, request.params, message)) ?? message)
  const server = createServer(async (request, response) => {
    const body = await textOf(request)
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    // The kit writes JSON-RPC, and so does the node.
    response.end(await changed(JSON.parse(body), (await answer.json()) as Message))
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (client) => {
    const requests = new Map<unknown, { method: string; params: unknown[] }>()
    const upstream = new WebSocket(target.replace('http', 'ws'))
    const opened = new Promise((resolve) => upstream.once('open', resolve))
    client.on('message', async (data) => {
      const request = JSON.parse(String(data))
      requests.set(request.id, request)
      await opened
      upstream.send(String(data))
    })
    client.on('close', () => upstream.terminate())
    upstream.on('message', async (data) => {
      const message: Message = JSON.parse(String(data))
      const request = requests.get(message.id) ?? { method: 'eth_subscription', params: [] }
      client.send(await changed(request, message))
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    // A server that listens on a port has no path.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      sockets.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}
