import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** One JSON-RPC request of an HTTP request. */
export interface ProxiedItem {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** An HTTP request that came to the proxy. */
export interface ProxiedRequest {
  readonly items: readonly ProxiedItem[]
  readonly isBatch: boolean
  readonly headers: IncomingMessage['headers']
  readonly url: string
}

/** What answers a single JSON-RPC request: `{ result }` or `{ error }`. */
export type Answerer = (item: ProxiedItem) => object | Promise<object>

/** What the proxy does in the place of an answer. */
export type Fault =
  /** The answers are changed; an id may be wrong, an item missing. */
  | { readonly kind: 'answers'; change(answers: object[]): unknown }
  | {
      readonly kind: 'http'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** Nothing is ever answered. */
  | { readonly kind: 'hang' }
  /** The connection is closed, before anything is answered or amid the body. */
  | { readonly kind: 'reset'; readonly afterHalf: boolean }
  /** Half of the JSON, as if it were all. */
  | { readonly kind: 'half' }

/** Decides about each HTTP request; `undefined` lets it pass. */
export type FaultRule = (request: ProxiedRequest, index: number) => Fault | undefined

/**
 * Stands between a node and its upstream: counts what is asked, holds answers back until they are
 * released, and plays faults.
 */
export class UpstreamProxy {
  readonly #server: Server
  readonly #answer: Answerer
  readonly url: string
  #rule: FaultRule = () => undefined
  #gate: PromiseWithResolvers<void> | undefined
  readonly #handling = new Set<Promise<void>>()
  /** ms that each answer is held back, for benchmarks; tests {@link hold} answers back. */
  roundTrip = 0
  /** All HTTP requests in order. */
  readonly requests: ProxiedRequest[] = []

  private constructor(server: Server, answer: Answerer) {
    this.#server = server
    this.#answer = answer
    // A server that listens on a port has no path.
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /**
   * @param target - the URL of a node, or what answers in its place
   * @param port - default: any
   */
  static async start(target: string | Answerer, port = 0): Promise<UpstreamProxy> {
    const answer = typeof target === 'string' ? forwardTo(target) : target
    const server = createServer()
    await new Promise<void>((resolve) => {
      server.listen(port, '127.0.0.1', resolve)
    })
    const proxy = new UpstreamProxy(server, answer)
    server.on('request', (request, response) => {
      const handling = proxy.#handle(request, response)
      proxy.#handling.add(handling)
      void handling.finally(() => proxy.#handling.delete(handling))
    })
    return proxy
  }

  /** Number of JSON-RPC requests, all or those of a method. */
  items(method?: string): number {
    const all = this.requests.flatMap(({ items }) => items)
    return all.filter((item) => method === undefined || item.method === method).length
  }

  /** Forgets what was counted. */
  reset(): void {
    this.requests.length = 0
  }

  /** Plays faults from now on; none by default. */
  play(rule: FaultRule = () => undefined): void {
    this.#rule = rule
  }

  /** Holds back answers until the returned function is called: a round trip as long as wanted. */
  hold(): () => void {
    const gate = Promise.withResolvers<void>()
    this.#gate = gate
    return () => {
      if (this.#gate === gate) this.#gate = undefined
      gate.resolve()
    }
  }

  /** Resolves when so many HTTP requests have come. */
  async came(count: number): Promise<void> {
    while (this.requests.length < count) await new Promise(setImmediate)
  }

  /** Resolves when a JSON-RPC request of the method has come. */
  async asked(method: string): Promise<void> {
    while (this.items(method) === 0) await new Promise(setImmediate)
  }

  /** Ends all connections, once the node behind it has answered. */
  async stop(): Promise<void> {
    this.#gate?.resolve()
    this.#server.closeAllConnections()
    await Promise.allSettled(this.#handling)
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of message.setEncoding('utf8')) text += chunk
    const body: unknown = JSON.parse(text)
    const isBatch = Array.isArray(body)
    // The proxy is asked by the code under test, which writes JSON-RPC.
    const items = (isBatch ? body : [body]) as ProxiedItem[]
    const request = { items, isBatch, headers: message.headers, url: message.url ?? '' }
    const fault = this.#rule(request, this.requests.length)
    this.requests.push(request)
    await this.#gate?.promise
    if (this.roundTrip > 0) await sleep(this.roundTrip)
    if (fault?.kind === 'hang') {
      return
    }
    if (fault?.kind === 'reset' && !fault.afterHalf) {
      message.socket.destroy()
      return
    }
    if (fault?.kind === 'http') {
      response.writeHead(fault.status, fault.headers)
      response.end(fault.body ?? '')
      return
    }
    const answers = await Promise.all(items.map(async (item) => this.#answered(item)))
    const result =
      fault?.kind === 'answers' ? fault.change(answers) : isBatch ? answers : answers[0]
    const json = JSON.stringify(result)
    response.writeHead(200, { 'content-type': 'application/json' })
    if (fault?.kind === 'half') {
      response.end(json.slice(0, json.length / 2))
    } else if (fault?.kind === 'reset') {
      response.write(json.slice(0, json.length / 2), () => message.socket.destroy())
    } else response.end(json)
  }

  async #answered(item: ProxiedItem): Promise<object> {
    return { jsonrpc: '2.0', id: item.id, ...(await this.#answer(item)) }
  }
}

function forwardTo(url: string): Answerer {
  return async (item) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...item, jsonrpc: '2.0' }),
    })
    const { result, error } = (await response.json()) as { result?: unknown; error?: unknown }
    return error === undefined ? { result: result ?? null } : { error }
  }
}

/** Faults for the first so many HTTP requests. */
export function first(count: number, fault: Fault): FaultRule {
  let played = 0
  return () => (played++ < count ? fault : undefined)
}

/** Answers items of a method, or all, with an error in the place of their results. */
export function failing(
  error: { readonly code: number; readonly message: string; readonly data?: unknown },
  method?: string,
): FaultRule {
  return ({ items, isBatch }) => ({
    kind: 'answers',
    change(answers) {
      const changed = answers.map((answer, index) => {
        const item = items[index]
        if (item === undefined || (method !== undefined && item.method !== method)) return answer
        return { jsonrpc: '2.0', id: item.id, error }
      })
      return isBatch ? changed : changed[0]
    },
  })
}
