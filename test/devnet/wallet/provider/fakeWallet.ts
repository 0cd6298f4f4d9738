import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** What the wallet of a test says; a thrown object becomes the error. */
export type Answer = (method: string, params: unknown) => unknown

/** A wallet endpoint that says what a test wants, so that its order and its breaks are in the test's hands. */
export interface FakeWallet extends AsyncDisposable {
  readonly url: string
  /** Methods that were asked, in order. */
  readonly asked: readonly string[]
  push(name: string, data: unknown): void
  /** Breaks every connection, as a node that ends does. */
  drop(): void
  /** Whether WebSockets are let in. */
  admitsSockets: boolean
}

export const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

/** The state that {@link startFakeWallet} has at first. */
export const STATE = {
  accounts: [] as readonly string[],
  chainId: '0x7a69',
  networkVersion: '31337',
  isConnected: true,
}

/** @param answer - to what is asked besides the state */
export async function startFakeWallet(
  answer: Answer = (method) => `answer of ${method}`,
  state: () => object = () => STATE,
): Promise<FakeWallet> {
  const asked: string[] = []
  const clients = new Set<WebSocket>()

  async function reply(text: string): Promise<string> {
    const { id, method, params } = JSON.parse(text)
    asked.push(method)
    try {
      const result = method === 'wallet_getProviderState' ? state() : await answer(method, params)
      return JSON.stringify({ jsonrpc: '2.0', id, result })
    } catch (error) {
      return JSON.stringify({ jsonrpc: '2.0', id, error })
    }
  }

  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    response.end(await reply(Buffer.concat(chunks).toString()))
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (!wallet.admitsSockets) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      clients.add(client)
      client.once('close', () => clients.delete(client))
      client.on('message', async (data) => client.send(await reply(data.toString())))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It listens at a port, so that this is no path.
  const { port } = server.address() as AddressInfo

  const wallet: FakeWallet = {
    url: `http://127.0.0.1:${port}/wallet`,
    asked,
    admitsSockets: true,
    push(name, data) {
      const params = { name, data }
      for (const client of clients) {
        client.send(JSON.stringify({ jsonrpc: '2.0', method: 'wallet_event', params }))
      }
    },
    drop() {
      for (const client of clients) client.terminate()
    },
    async [Symbol.asyncDispose]() {
      wallet.drop()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return wallet
}
