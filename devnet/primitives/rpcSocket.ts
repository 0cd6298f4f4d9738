import { plainText } from './errors.ts'
import { isObject } from './json.ts'

/** The part of a client of JSON-RPC over a WebSocket that differs from client to client. */
export interface RpcClient {
  /** Makes an error of the error object in an answer. */
  toError(body: unknown): Error
  /** Makes the error of a request without a connection. @param reason - of its end, or empty */
  toLoss(reason: string): Error
  onPush(method: string, params: unknown): void
  /** Called after the requests that waited have failed. @param code - of the WebSocket's end */
  onClose(code: number, reason: string): void
}

/** Requests over a browser's WebSocket, whose answers may come in any order. */
export class RpcSocket {
  readonly #socket: WebSocket
  readonly #client: RpcClient
  readonly #waiting = new Map<
    unknown,
    { resolve(result: unknown): void; reject(error: Error): void }
  >()
  #lastId = 0

  constructor(socket: WebSocket, client: RpcClient) {
    this.#socket = socket
    this.#client = client
    // No limit on nesting: a page trusts its own node, whose traces can be deep.
    socket.addEventListener('message', ({ data }) => this.#read(JSON.parse(plainText(data))))
    socket.addEventListener('close', ({ code, reason }) => {
      for (const { reject } of this.#waiting.values()) reject(client.toLoss(reason))
      this.#waiting.clear()
      client.onClose(code, reason)
    })
  }

  /** Rejects with an error of the client, or a TypeError if the params do not fit into JSON. */
  async request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#lastId
    const text = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    if (this.#socket.readyState !== WebSocket.OPEN) throw this.#client.toLoss('')
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#socket.send(text)
    })
  }

  #read(message: unknown): void {
    if (!isObject(message)) return
    if (typeof message.method === 'string') {
      this.#client.onPush(message.method, message.params)
      return
    }
    const request = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if ('error' in message) request?.reject(this.#client.toError(message.error))
    else request?.resolve(message.result)
  }
}
