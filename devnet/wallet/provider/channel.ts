import { ProviderRpcError, toProviderError, toRecord } from './providerRpcError.ts'

export interface Channel {
  /** @throws {ProviderRpcError} the wallet's error, or code 4900 if the channel breaks */
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

function requestText(id: number, method: string, params: unknown): string {
  try {
    return JSON.stringify({ jsonrpc: '2.0', id, method, params })
  } catch (error) {
    const message = `The params of ${method} cannot be written as JSON: ${String(error)}`
    throw new ProviderRpcError(-32602, message)
  }
}

/** Creates error 4900 for an unreachable wallet (EIP-1193). */
export function disconnected(why: string): ProviderRpcError {
  return new ProviderRpcError(4900, why)
}

/** Opens one WebSocket for requests and events, so that they keep the wallet's order. */
export function openSocket(endpoint: string, listener: ChannelListener): Promise<Channel> {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  let lastId = 0
  const socket = new WebSocket(endpoint.replace(/^http/, 'ws'))

  socket.addEventListener('message', ({ data }) => {
    const message = toRecord(JSON.parse(String(data)))
    if (message.method === 'wallet_event') {
      const { name, data: value } = toRecord(message.params)
      listener.onEvent(String(name), value)
      return
    }
    const asked = waiting.get(Number(message.id))
    if (asked === undefined) return
    waiting.delete(Number(message.id))
    if ('error' in message) asked.reject(toProviderError(message.error))
    else asked.resolve(message.result)
  })

  const channel: Channel = {
    isPushing: true,
    request(method, params) {
      const id = ++lastId
      return new Promise((resolve, reject) => {
        const text = requestText(id, method, params)
        if (socket.readyState !== WebSocket.OPEN) {
          throw disconnected('The wallet has closed the connection.')
        }
        waiting.set(id, { resolve, reject })
        socket.send(text)
      })
    },
    close: () => socket.close(),
  }

  return new Promise((resolve, reject) => {
    let wasOpen = false
    socket.addEventListener('open', () => {
      wasOpen = true
      resolve(channel)
    })
    // For a socket that the page's policy forbids, Chrome fires an error event but no close event.
    socket.addEventListener('error', () => {
      const hint = `is the node running, and does it allow pages from ${location.origin} (--allow-origin)?`
      reject(disconnected(`The wallet at ${endpoint} cannot be reached: ${hint}`))
    })
    socket.addEventListener('close', ({ code, reason }) => {
      if (!wasOpen) return
      const why = `The wallet at ${endpoint} has closed the connection${reason && `: ${reason}`}.`
      for (const asked of waiting.values()) asked.reject(disconnected(why))
      waiting.clear()
      listener.onClose(code, reason)
    })
  })
}

/** Sends one POST per request, for pages that may not open a WebSocket. */
export function openPost(post: (text: string) => Promise<string>): Channel {
  let lastId = 0
  return {
    isPushing: false,
    async request(method, params) {
      const text = requestText(++lastId, method, params)
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
