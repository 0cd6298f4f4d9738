import { once } from 'node:events'
import { WebSocket } from 'ws'
import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import { isObject, jsonIn } from '../../primitives/json.ts'
import { JsonText } from '../../primitives/jsonText.ts'
import type { PushConnection } from '../../stream/subscriptions.ts'
import type { RequestArguments } from '../../types.ts'
import { aborted } from './inTime.ts'

/** ms for the opening of a WebSocket, and bytes of a message: a page may have chosen the server. */
const LIMITS = { handshakeTimeout: 3000, maxPayload: 1 << 20, perMessageDeflate: false } as const

/**
 * Passes on to a client's connection, as `message` events (EIP-1193), what one chain pushes. It
 * ends with the connection, and once another chain is active.
 */
export class ChainPushes implements PushConnection {
  readonly #connection: PushConnection
  readonly #onEnd: (() => void)[] = []
  readonly #answers = new Map<number, (answer: unknown) => void>()
  #socket: WebSocket | undefined
  #opened: Promise<unknown> | undefined
  #lastId = 0
  #isEnded = false

  constructor(connection: PushConnection) {
    this.#connection = connection
  }

  notify(type: string, params: JsonText): void {
    if (this.#isEnded) return
    const head = `{"name":"message","data":{"type":${JSON.stringify(type)},"data":`
    this.#connection.notify('wallet_event', new JsonText([head, ...params.pieces, '}}']))
  }

  onClose(listener: () => void): void {
    if (this.#isEnded) listener()
    else this.#onEnd.push(listener)
  }

  end(): void {
    this.#isEnded = true
    this.#socket?.terminate()
    for (const listener of this.#onEnd.splice(0)) listener()
  }

  /**
   * Asks another chain over a WebSocket, on which it then pushes.
   *
   * @param url - of the chain's RPC, which has its WebSocket at the same address
   * @returns the answer; `undefined` if there is none
   */
  async ask(url: string, args: RequestArguments, signal: AbortSignal): Promise<unknown> {
    this.#socket ??= this.#connect(url)
    const socket = this.#socket
    try {
      await this.#opened
    } catch {
      const problem = 'has no WebSocket at the address of its RPC, which subscriptions need'
      throw new DevnetError(ErrorCode.methodNotFound, `The active chain ${problem}: poll it.`)
    }
    const id = ++this.#lastId
    const { promise, resolve } = Promise.withResolvers<unknown>()
    this.#answers.set(id, resolve)
    socket.once('close', resolve)
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...args }))
    try {
      return await Promise.race([promise, aborted(signal)])
    } finally {
      this.#answers.delete(id)
      socket.off('close', resolve)
    }
  }

  #connect(url: string): WebSocket {
    const target = new URL(url.replace(/^http/, 'ws'))
    // Names below `localhost` mean this machine (RFC 6761).
    target.hostname = target.hostname.replace(/^.+\.localhost$/, 'localhost')
    const socket = new WebSocket(target, LIMITS)
    this.#opened = once(socket, 'open')
    socket.on('message', (data) => this.#hear(String(data)))
    // After an error, too.
    socket.on('close', () => {
      this.#socket = undefined
    })
    socket.on('error', () => undefined)
    return socket
  }

  #hear(message: string): void {
    const heard = jsonIn(message)
    if (!isObject(heard)) return
    if (typeof heard.id === 'number') this.#answers.get(heard.id)?.(heard)
    else if (heard.method === 'eth_subscription') {
      this.notify(heard.method, new JsonText(JSON.stringify(heard.params)))
    }
  }
}
