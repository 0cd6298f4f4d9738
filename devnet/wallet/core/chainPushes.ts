import { on, once } from 'node:events'
import { type RawData, WebSocket } from 'ws'
import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import { isObject, jsonIn } from '../../primitives/json.ts'
import { JsonText } from '../../primitives/jsonText.ts'
import type { PushConnection } from '../../stream/subscriptions.ts'
import type { RequestArguments } from '../../types.ts'

/** ms for the opening of a WebSocket, and bytes of a message: a page may have chosen the server. */
const LIMITS = { handshakeTimeout: 3000, maxPayload: 1 << 20, perMessageDeflate: false } as const

/**
 * Passes on to a client's connection, as `message` events (EIP-1193), what one chain pushes. It
 * ends with the connection, and once another chain is active.
 */
export class ChainPushes implements PushConnection {
  readonly #connection: PushConnection
  readonly #ended = new AbortController()
  #socket: WebSocket | undefined
  #lastId = 0

  constructor(connection: PushConnection) {
    this.#connection = connection
  }

  notify(type: string, params: JsonText): void {
    if (this.#ended.signal.aborted) return
    const head = `{"name":"message","data":{"type":${JSON.stringify(type)},"data":`
    this.#connection.notify('wallet_event', new JsonText([head, ...params.pieces, '}}']))
  }

  onClose(listener: () => void): void {
    if (this.#ended.signal.aborted) listener()
    else this.#ended.signal.addEventListener('abort', listener)
  }

  end(): void {
    this.#ended.abort()
    this.#socket?.terminate()
  }

  /**
   * Asks another chain over a WebSocket, on which it then pushes.
   *
   * @param url - of the chain's RPC, which has its WebSocket at the same address
   * @returns the answer; `undefined` if there is none
   */
  async ask(url: string, args: RequestArguments, signal: AbortSignal): Promise<unknown> {
    const id = ++this.#lastId
    this.#socket ??= this.#connect(url)
    const socket = this.#socket
    try {
      if (socket.readyState === WebSocket.CONNECTING) await once(socket, 'open')
    } catch {
      const problem = 'has no WebSocket at the address of its RPC, which subscriptions need'
      throw new DevnetError(ErrorCode.methodNotFound, `The active chain ${problem}: poll it.`)
    }
    try {
      const messages = on(socket, 'message', { signal, close: ['close'] })
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...args }))
      for await (const [message] of messages) {
        const answer = parsed(message)
        if (answer.id === id) return answer
      }
    } catch {
      // As over HTTP, errors must not reveal what answers there.
    }
    return undefined
  }

  #connect(url: string): WebSocket {
    const target = new URL(url.replace(/^http/, 'ws'))
    // Names below `localhost` mean this machine (RFC 6761).
    target.hostname = target.hostname.replace(/^.+\.localhost$/, 'localhost')
    const socket = new WebSocket(target, LIMITS)
    socket.on('message', (message) => {
      const { method, params } = parsed(message)
      if (method === 'eth_subscription') this.notify(method, new JsonText(JSON.stringify(params)))
    })
    // After an error, too.
    socket.on('close', () => {
      this.#socket = undefined
    })
    socket.on('error', () => undefined)
    return socket
  }
}

/** The fields of a message; none if it is not JSON-RPC. */
function parsed(message: RawData): Readonly<Record<string, unknown>> {
  const value = jsonIn(String(message))
  return isObject(value) ? value : {}
}
