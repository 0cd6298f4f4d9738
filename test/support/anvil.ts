import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

/** The program, which comes with `npm run bench`; `undefined` where that never ran. */
export function anvilProgram(): string | undefined {
  const machine = process.arch === 'x64' ? 'amd64' : process.arch
  try {
    const require = createRequire(import.meta.url)
    const wrapper = createRequire(require.resolve('@foundry-rs/anvil/package.json'))
    return wrapper.resolve(`@foundry-rs/anvil-${process.platform}-${machine}/bin/anvil`)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')
      return undefined
    throw error
  }
}

/** An anvil that listens on a port of its own; the caller ends it. */
export interface Anvil {
  readonly child: ChildProcess
  readonly url: string
}

export async function startAnvil(program: string, ...args: string[]): Promise<Anvil> {
  const child = spawn(program, ['--port', '0', ...args])
  let port: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    port = /^Listening on 127\.0\.0\.1:(\d+)$/.exec(line)?.[1]
    if (port !== undefined) break
  }
  child.stdout.resume()
  return { child, url: `http://127.0.0.1:${port}` }
}
