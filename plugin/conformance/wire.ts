import { once } from 'node:events'
import { WebSocket } from 'ws'
import {
  ErrorCode,
  integerOr,
  isObject,
  jsonIn,
  OptionError,
  quantityFrom,
  reasonOf,
} from '../../devnet/pluginApi.ts'
import { NodeError, originOf, request, SilentNodeError } from '../rpc-client.ts'
import { type Fields, fieldsOf, printableValue, textOf } from './values.ts'

/** ms for one answer. */
const ANSWER_TIME = 5_000

/** Characters of all messages beyond which nothing more is heard. */
const MOST_HEARD = 32 << 20

const LIMITS = { handshakeTimeout: ANSWER_TIME, maxPayload: MOST_HEARD }

export type Question = readonly [method: string, ...params: readonly unknown[]]

/** An answer, which may be a refusal; the code of silence is `NaN`. */
export interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** An endpoint under test. Its refusals are answers, and so is its silence. */
export class Endpoint {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #end: AbortSignal

  /** @param time - ms after which nothing is asked any more */
  constructor(url: string, headers: Readonly<Record<string, string>>, time: number) {
    this.#url = url
    this.#headers = headers
    this.#end = AbortSignal.timeout(time)
  }

  async ask(...question: Question): Promise<Answer> {
    try {
      return { result: await this.#send(question) }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      const code = error instanceof SilentNodeError ? Number.NaN : error.code
      return { error: { code, message: error.message } }
    }
  }

  /** Asks what no run can do without. @throws {NodeError} if the answer is no quantity */
  async quantity(...question: Question): Promise<bigint> {
    const result = await this.#send(question)
    const number = quantityFrom(result)
    if (number !== undefined) return number
    const message = `The endpoint answers ${question[0]} with ${printableValue(result)}, which is no quantity.`
    throw new NodeError(ErrorCode.server, message)
  }

  /** A block with the hashes of its transactions. @param id - a tag or a number */
  async block(id: string): Promise<Fields> {
    return fieldsOf((await this.ask('eth_getBlockByNumber', id, false)).result)
  }

  #send([method, ...params]: Question): Promise<unknown> {
    const signal = AbortSignal.any([AbortSignal.timeout(ANSWER_TIME), this.#end])
    return request({ url: this.#url, headers: this.#headers, signal }, { method, params })
  }
}

/** A subscription that was asked for. */
export interface Subscription extends Answer {
  /** Notifications so far, each with the number of earlier messages. */
  readonly told: readonly { readonly value: unknown; readonly at: number }[]
}

/** A WebSocket to an endpoint, and everything that it has sent. */
export class Socket {
  readonly #socket: WebSocket
  readonly #messages: Fields[] = []
  readonly #watchers = new Set<() => void>()
  #asked = 0
  #heard = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const text = String(data)
      this.#heard += text.length
      if (this.#heard > MOST_HEARD) socket.terminate()
      else this.#messages.push(fieldsOf(jsonIn(text)))
      for (const watch of this.#watchers) watch()
    })
  }

  /** @throws {OptionError} if there is no WebSocket at the address */
  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<Socket> {
    try {
      const opened = new WebSocket(url, { headers, ...LIMITS })
      const socket = new Socket(opened)
      await once(opened, 'open')
      // Errors from now on show as silence.
      opened.on('error', () => undefined)
      return socket
    } catch (error) {
      const hint = 'name its address with --ws, or leave its checks out with --ws none'
      const where = URL.canParse(url) ? originOf(url) : JSON.stringify(url)
      throw new OptionError(`No WebSocket answers at ${where}: ${hint} (${reasonOf(error)}).`)
    }
  }

  async subscribe(...params: readonly unknown[]): Promise<Subscription> {
    const id = ++this.#asked
    const messages = this.#messages
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
    const answer = () => messages.find((message) => message.id === id)
    await this.until(() => answer() !== undefined, ANSWER_TIME)
    const silence = this.#heard > MOST_HEARD ? 'more messages than can be read' : 'no answer'
    const { result, error } = answer() ?? { error: { code: Number.NaN, message: silence } }
    if (isObject(error)) {
      const { code, message } = error
      return { error: { code: integerOr(code, Number.NaN), message: textOf(message) }, told: [] }
    }
    return {
      result,
      get told() {
        return messages.flatMap(({ params: notified }, at) => {
          const { subscription, result: value } = fieldsOf(notified)
          return subscription === result ? [{ value, at }] : []
        })
      },
    }
  }

  /** Waits for messages until `holds`, at most `time` ms. */
  async until(holds: () => boolean, time: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, time)
    const look = () => holds() && resolve()
    this.#watchers.add(look)
    look()
    await promise
    this.#watchers.delete(look)
    clearTimeout(timer)
  }

  close(): void {
    this.#socket.terminate()
  }
}
