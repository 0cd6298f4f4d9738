import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const binary = fileURLToPath(new URL('../../dist/plugin/bin/pending-node.js', import.meta.url))

/** A node in a process of its own, as a user starts it. */
export interface RunningNode extends AsyncDisposable {
  readonly url: string
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
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line)
    const url = /JSON-RPC server at (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout.resume()
    return { url, [Symbol.asyncDispose]: () => end(child) }
  }
  throw new Error(`The node did not start.\n${printed.join('\n')}`)
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
