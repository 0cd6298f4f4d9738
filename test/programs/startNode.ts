import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const binary = fileURLToPath(new URL('../../dist/plugin/bin/pending-node.js', import.meta.url))

/** A node in a process of its own, as a user starts it. */
export interface RunningNode extends AsyncDisposable {
  readonly url: string
  /** The lines of its log that begin with `hint`, so far. */
  readonly hints: readonly string[]
}

/** @throws {Error} with all that the node printed, if it ends before it listens */
export async function startNode(...flags: readonly string[]): Promise<RunningNode> {
  const child = spawn(process.execPath, [binary, '--port', '0', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => child.kill()
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const printed: string[] = []
  child.stderr.on('data', (data) => printed.push(String(data)))
  const hints: string[] = []
  const started = Promise.withResolvers<string | undefined>()
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    printed.push(line)
    if (/^[\d:.]+ hint /.test(line)) hints.push(line)
    const url = /JSON-RPC server at (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1]
    if (url !== undefined) started.resolve(url)
  })
  lines.once('close', () => started.resolve(undefined))
  const url = await started.promise
  if (url !== undefined) return { url, hints, [Symbol.asyncDispose]: () => end(child) }
  throw new Error(`The node did not start.\n${printed.join('\n')}`)
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  // All that it has printed is read then.
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
}
