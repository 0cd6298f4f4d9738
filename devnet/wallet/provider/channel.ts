import { ProviderRpcError, toProviderError, toRecord } from './providerRpcError.ts'

/** A way to the wallet that is open. */
export interface Channel {
  /** @throws {ProviderRpcError} what the wallet says, or 4900 when the channel breaks */
  request(method: string, params?: unknown): Promise<unknown>
  close(): void
  /** Whether the wallet pushes its events; where it does not, it has to be asked for its state. */
  readonly isPushing: boolean
}

/** Who is told what comes through a channel unasked. */
export interface ChannelListener {
  onEvent(name: string, data: unknown): void
  /**
   * Is called when a channel that was open breaks.
   *
   * @param code - of the CloseEvent
   */
  onClose(code: number, reason: string): void
}

/** The text of one JSON-RPC request. */
export function requestText(id: number, method: string, params: unknown): string {
  try {
    return JSON.stringify({ jsonrpc: '2.0', id, method, params })
  } catch (error) {
    throw new ProviderRpcError(
      -32602,
      `The params of ${method} cannot be written as JSON: ${String(error)}`,
    )
  }
}

/** The result of a JSON-RPC answer. */
export function resultOf(answer: Readonly<Record<string, unknown>>): unknown {
  if ('error' in answer) throw toProviderError(answer.error)
  return answer.result
}

/** What an unreachable wallet is reported as (EIP-1193). */
export function disconnected(why: string): ProviderRpcError {
  return new ProviderRpcError(4900, why)
}

/** Everything through one WebSocket, so that a result and the events it causes come in the order of the wallet. */
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
    try {
      asked.resolve(resultOf(message))
    } catch (error) {
      asked.reject(error)
    }
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
    // Chrome closes a socket that a policy of the page forbids without saying so; this it always says.
    socket.addEventListener('error', () => {
      const hint = `is the node running, and does it admit pages of ${location.origin} (--allow-origin)?`
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

/** One POST a request: for pages that may open no WebSocket. */
export function openPost(post: (text: string) => Promise<string>): Channel {
  let lastId = 0
  return {
    isPushing: false,
    async request(method, params) {
      const text = requestText(++lastId, method, params)
      let answer: unknown
      try {
        // Whoever refuses a request before the wallet sees it says so in plain text, which is no JSON.
        answer = JSON.parse(await post(text))
      } catch (error) {
        throw disconnected(`The wallet cannot be reached: ${String(error)}`)
      }
      return resultOf(toRecord(answer))
    },
    close() {},
  }
}

/** Posts to the endpoint from the page itself. */
export async function fetchText(endpoint: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(endpoint, { method: 'POST', headers, body })
  return response.text()
}
