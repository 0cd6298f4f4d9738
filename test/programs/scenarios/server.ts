import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../support/freePort.ts'

interface ServerDefinition {
  /** Path of the program below node_modules. */
  readonly package: string
  readonly args: (port: number) => readonly string[]
  /** Path that answers with success once the server is ready. */
  readonly ready: string
  readonly env?: Readonly<Record<string, string>>
}

/** Time in ms within which a server must be ready. */
const START_LIMIT = 45_000

/**
 * Starts a server on a free port of loopback, and waits until it is ready.
 *
 * @throws {Error} if it ends, or is not ready within 45 s; what it says is printed
 */
export async function startServer(definition: ServerDefinition) {
  const port = await freePort()
  const program = new URL(`../node_modules/${definition.package}`, import.meta.url)
  const loopback = new URL('../loopback.js', import.meta.url)
  const child = spawn(
    process.execPath,
    ['--import', loopback.href, fileURLToPath(program), ...definition.args(port)],
    { env: { ...process.env, ...definition.env }, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const url = `http://127.0.0.1:${port}`
  const server = {
    url,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
  const limit = performance.now() + START_LIMIT
  while (!(await isReady(`${url}${definition.ready}`))) {
    if (child.exitCode !== null) throw new Error(`${definition.package} has ended.`)
    if (performance.now() > limit) {
      await server[Symbol.asyncDispose]()
      throw new Error(`${definition.package} is not ready within ${START_LIMIT} ms.`)
    }
    await sleep(100)
  }
  return server
}

async function isReady(address: string): Promise<boolean> {
  try {
    return (await fetch(address)).ok
  } catch {
    // It does not listen yet.
    return false
  }
}
