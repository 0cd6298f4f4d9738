import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import type { PeerNode } from './peerNode.ts'

/** Where `.ci/anvil.mjs` installs it; what the project itself has is found from there too. */
const require = createRequire(new URL('../../node_modules/.cache/anvil/', import.meta.url))
const WRAPPER = '@foundry-rs/anvil/package.json'

/** The program itself, not its wrapper; `undefined` if it could not be fetched. */
export function anvilProgram(): string | undefined {
  const machine = process.arch === 'x64' ? 'amd64' : process.arch
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  try {
    const wrapper = createRequire(require.resolve(WRAPPER))
    return wrapper.resolve(`@foundry-rs/anvil-${process.platform}-${machine}/bin/${name}`)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')
      return undefined
    throw error
  }
}

/** Its version; `undefined` if it could not be fetched. */
export function anvilVersion(): string | undefined {
  if (anvilProgram() === undefined) return undefined
  const { version }: { version: string } = require(WRAPPER)
  return version
}

/** An anvil that listens on a port of its own; the caller ends it. */
export interface Anvil extends PeerNode {
  readonly child: ChildProcess
}

export async function startAnvil(program: string, ...args: string[]): Promise<Anvil> {
  const child = spawn(program, ['--port', '0', ...args])
  let port: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    port = /^Listening on 127\.0\.0\.1:(\d+)$/.exec(line)?.[1]
    if (port !== undefined) break
  }
  child.stdout.resume()
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGINT')
      await ended
    },
  }
}
