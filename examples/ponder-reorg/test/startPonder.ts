import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** Starts the indexer of this project; it ends with the test that is running. */
export async function startPonder(env: { NODE_URL: string; TOKEN: string }) {
  const flags = ['--disable-ui', '--hostname', '127.0.0.1', '--log-format', 'json']
  const child = spawn('ponder', ['dev', ...flags], {
    env: { ...process.env, ...env, PONDER_TELEMETRY_DISABLED: 'true' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    // It takes the first free one from 42069 on.
    const { port } = JSON.parse(line)
    if (port === undefined) continue
    child.stdout.resume()
    /** @returns the answer with the rows of the table, in the order of blocks */
    return async (): Promise<unknown> => {
      const query = '{ transfers(orderBy: "block") { items { to value block } } }'
      const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      })
      return response.json()
    }
  }
  throw new Error(`Ponder has ended before it could be asked:\n${lines.join('\n')}`)
}
