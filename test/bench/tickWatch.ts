import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { OptionsInput } from '../../devnet/index.ts'
import { HttpConnection } from './httpConnection.ts'
import { end, own, residentMemory } from './ownProcesses.ts'
import type { Measurement } from './scenario.ts'
import { percentile } from './statistics.ts'

/** What tickWatch.child.ts answers at the end. */
export interface TickTimes {
  /** ms from each beat of the tick clock until its view was published. */
  readonly lateness: readonly number[]
  /** ms from one view to the next; only ticks that take transactions count, so each needs some. */
  readonly gaps: readonly number[]
  /** ms that each tick worked. */
  readonly work: readonly number[]
  /** ms of CPU time that the longest turn of the event loop took. */
  readonly longestTurn: number
  /** ms of CPU time of the whole process. */
  readonly cpu: number
}

/** What tickWatch.child.ts says once it listens. */
export interface Started {
  readonly port: number
  readonly dashboardUrl: string
}

const child = fileURLToPath(new URL('./tickWatch.child.ts', import.meta.url))

/** A devnet in a process of its own that watches its own ticks; it ends with the scope that it is used in. */
export class TickWatch implements AsyncDisposable {
  readonly #devnet: ChildProcess
  readonly #connections: HttpConnection[] = []
  #port = 0
  #dashboardUrl = ''

  private constructor(options: OptionsInput, artifacts: readonly string[]) {
    this.#devnet = fork(child, [JSON.stringify(options), ...artifacts], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    own(this.#devnet, false)
  }

  /**
   * Starts one, with both clocks running.
   *
   * @param artifacts - the folder of its project's. Default: it has no project
   * @throws {Error} when it ends before it listens
   */
  static async start(
    options: OptionsInput = {},
    ...artifacts: readonly string[]
  ): Promise<TickWatch> {
    const watch = new TickWatch(options, artifacts)
    const { port, dashboardUrl } = await watch.#told<Started>()
    watch.#port = port
    watch.#dashboardUrl = dashboardUrl
    return watch
  }

  /** New connections, which are closed when the devnet stops. */
  connect(count: number): readonly HttpConnection[] {
    const connections = Array.from({ length: count }, () => new HttpConnection(this.#port))
    this.#connections.push(...connections)
    return connections
  }

  /** The address of its WebSocket. */
  get socketUrl(): string {
    return `ws://127.0.0.1:${this.#port}`
  }

  /** The address of its dashboard, with the token. */
  get dashboardUrl(): string {
    return this.#dashboardUrl
  }

  /** What it saw before is forgotten. */
  begin(): void {
    this.#devnet.send('begin')
  }

  /** What it saw since {@link begin}; with traffic that ends before, the rest counts as without ticks. */
  end(): Promise<TickTimes> {
    const result = this.#told<TickTimes>()
    this.#devnet.send('end')
    return result
  }

  /** Bytes that the devnet has in use, once all garbage is collected. */
  memory(): Promise<number> {
    const result = this.#told<number>()
    this.#devnet.send('memory')
    return result
  }

  /** Resident bytes of its process, garbage included. */
  residentMemory(): number {
    return residentMemory(this.#devnet)
  }

  /** The next message of the child, which is known to be of this type. @throws {Error} when it ends first */
  async #told<Message>(): Promise<Message> {
    const ending = new AbortController()
    const { signal } = ending
    try {
      const ended = once(this.#devnet, 'exit', { signal }).then(([code]) => {
        throw new Error(`The devnet ended with ${code}`)
      })
      const [message] = await Promise.race([once(this.#devnet, 'message', { signal }), ended])
      return message
    } finally {
      ending.abort()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#connections) connection.close()
    await end(this.#devnet, 'SIGTERM')
  }
}

/** Median, 99th percentile and maximum of times in ms. */
export function timesOf(what: string, times: readonly number[]): readonly Measurement[] {
  return [50, 99, 100].map((percent) => ({
    metric: `${what}, ${percent === 100 ? 'max' : `p${percent}`}`,
    unit: 'ms',
    better: 'lower',
    value: percentile(times, percent),
  }))
}
