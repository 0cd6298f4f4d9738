import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpConnection } from './httpConnection.ts'
import { end, own, residentMemory } from './ownProcesses.ts'
import type { Command } from './peers.ts'
import { call, requestBytes, send } from './rpc.ts'

/** ms between two tries to reach a node that starts. */
const POLL_INTERVAL = 5

/** ms that a node may take to start. */
const START_PATIENCE = 60_000

/** A node in a process of its own, which ends with the scope that it is used in. */
export class NodeProcess implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProcess
  readonly #group: boolean
  readonly #connections: HttpConnection[] = []
  #failure: Error | undefined

  /**
   * Starts it.
   *
   * @param port - that the command makes it listen on
   * @param group - whether the command starts it in a further process, as npx does
   */
  constructor(command: Command, port: number, group = false) {
    this.port = port
    this.#group = group
    this.#child = spawn(command.file, command.args, {
      cwd: command.cwd,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: group,
    })
    own(this.#child, group)
    let complaints = ''
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-2000)
    })
    this.#child.once('error', (error) => {
      this.#failure = error
    })
    this.#child.once('close', (code, signal) => {
      const line = [command.file, ...command.args].join(' ')
      this.#failure = new Error(`${line} ended (${code ?? signal}): ${complaints}`)
    })
  }

  get pid(): number {
    const { pid } = this.#child
    if (pid === undefined) throw new Error('The process could not be started')
    return pid
  }

  /** Waits for the first answer. @throws {Error} when the process ends or stays silent */
  async ready(): Promise<void> {
    const deadline = performance.now() + START_PATIENCE
    const connection = new HttpConnection(this.port)
    const request = requestBytes({ method: 'eth_chainId' })
    for (;;) {
      try {
        await send(connection, request)
        return connection.close()
      } catch (error) {
        // Nobody listens yet, unless that goes on.
        if (this.#failure !== undefined) throw this.#failure
        if (performance.now() > deadline) throw error
      }
      await sleep(POLL_INTERVAL)
    }
  }

  /** New connections, which are closed when the node stops. */
  connect(count: number): readonly HttpConnection[] {
    const connections = Array.from({ length: count }, () => new HttpConnection(this.port))
    this.#connections.push(...connections)
    return connections
  }

  /** The result of one call, over a connection of its own. @throws {Error} when it is an error */
  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const connection = new HttpConnection(this.port)
    try {
      return await call(connection, { method, params })
    } finally {
      connection.close()
    }
  }

  /** Resident memory of the process, in bytes. */
  memory(): number {
    return residentMemory(this.#child)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#connections) connection.close()
    // npx may end before what it started, which nobody could end any more.
    await end(this.#child, this.#group ? 'SIGKILL' : 'SIGTERM')
  }
}
