import { RpcSocket } from '../../primitives/rpcSocket.ts'
import { ProviderRpcError, toProviderError, toRecord } from './providerRpcError.ts'

export interface Channel {
  /**
   * @throws {ProviderRpcError} the wallet's error, or code 4900 if the channel breaks
   * @throws {TypeError} if the params cannot be written as JSON
   */
  request(method: string, params?: unknown): Promise<unknown>
  close(): void
  /** True if the wallet pushes events through it; if not, its state has to be polled. */
  readonly isPushing: boolean
}

/** Receives what a channel reports without being asked. */
export interface ChannelListener {
  onEvent(name: string, data: unknown): void
  /** Called when an open channel breaks. @param code - close code of the WebSocket */
  onClose(code: number, reason: string): void
}

/** Creates error 4900 for an unreachable wallet (EIP-1193). */
export function disconnected(why: string): ProviderRpcError {
  return new ProviderRpcError(4900, why)
}

/** Opens one WebSocket for requests and events, so that they keep the wallet's order. */
export function openSocket(endpoint: string, listener: ChannelListener): Promise<Channel> {
  const socket = new WebSocket(endpoint.replace(/^http/, 'ws'))
  return new Promise((resolve, reject) => {
    let wasOpen = false
    const client = new RpcSocket(socket, {
      toError: toProviderError,
      toLoss: (reason) =>
        disconnected(
          `The wallet at ${endpoint} has closed the connection${reason && `: ${reason}`}.`,
        ),
      onPush(method, params) {
        const { name, data } = toRecord(params)
        if (method === 'wallet_event') listener.onEvent(String(name), data)
      },
      onClose: (code, reason) => wasOpen && listener.onClose(code, reason),
    })
    socket.addEventListener('open', () => {
      wasOpen = true
      resolve({
        isPushing: true,
        request: (method, params) => client.request(method, params),
        close: () => socket.close(),
      })
    })
    // For a socket that the page's policy forbids, Chrome fires an error event but no close event.
    socket.addEventListener('error', () => {
      const hint = `is the node running, and does it allow pages from ${location.origin} (--allow-origin)?`
      reject(disconnected(`The wallet at ${endpoint} cannot be reached: ${hint}`))
    })
  })
}

/** Sends one POST per request, for pages that may not open a WebSocket. */
export function openPost(post: (text: string) => Promise<string>): Channel {
  let lastId = 0
  return {
    isPushing: false,
    async request(method, params) {
      const text = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params })
      let answer: Readonly<Record<string, unknown>>
      try {
        // A request refused before it reaches the wallet is answered in plain text, not JSON.
        answer = toRecord(JSON.parse(await post(text)))
      } catch (error) {
        throw disconnected(`The wallet cannot be reached: ${String(error)}`)
      }
      if ('error' in answer) throw toProviderError(answer.error)
      return answer.result
    },
    close() {},
  }
}

export async function fetchText(endpoint: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(endpoint, { method: 'POST', headers, body })
  return response.text()
}
