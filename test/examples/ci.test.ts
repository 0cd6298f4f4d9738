import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createExample, type ExampleProject } from './exampleProject.ts'

// It starts several programs, one after the other.
vi.setConfig({ testTimeout: 120_000 })

const job = readFileSync(new URL('../../examples/ci/pending-node.yml', import.meta.url), 'utf8')

/** The script of the step with this name, as GitHub gives it to the shell. */
function script(name: string): string {
  const [, step = ''] = job.split(`- name: ${name}\n`)
  const [, line, block] = /^ +run: (?:([^|\n].*)|\|\n((?: {10}.*\n)+))/m.exec(step) ?? []
  if (line !== undefined) return line
  if (block === undefined) throw new Error(`No script in the step "${name}"`)
  return block.replace(/^ {10}/gm, '')
}

/** A port at which nothing listens; the job needs to know it beforehand. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  await new Promise((resolve) => server.close(resolve))
  return address.port
}

/** Runs steps as GitHub does: each in a shell of its own, with the environment that those before left behind. */
async function createRunner(project: ExampleProject) {
  const port = await freePort()
  const file = join(project.folder, 'environment')
  writeFileSync(file, '')
  const env = (): Record<string, string> => ({
    NODE_PORT: String(port),
    RPC_URL: `http://127.0.0.1:${port}`,
    GITHUB_ENV: file,
    ...Object.fromEntries(
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split('=', 2)),
    ),
  })
  return {
    port,
    /** Ends the node where the job did not. */
    [Symbol.dispose]: () => {
      const pid = Number(env().NODE_PID)
      if (!(pid > 0)) return
      try {
        process.kill(pid, 'SIGKILL')
      } catch (error) {
        // ESRCH: it has ended, as it should.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
      }
    },
    run: async (step: string) => {
      const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script(step)]
      await using shell = project.start('bash', args, env())
      return await shell.ended
    },
  }
}

test.skipIf(process.platform === 'win32')(
  'the job starts the node, waits for it, runs the suite, and stops it',
  async () => {
    using project = createExample('migration')
    using runner = await createRunner(project)
    const { port, run } = runner
    expect(script('Install')).toBe('npm ci')

    const start = await run('Start the node')
    // Nothing of the attempts before the node is up.
    expect([start.code, start.stderr, JSON.parse(start.stdout)]).toEqual([
      0,
      '',
      expect.objectContaining({ status: 'ok', sealing: 'instant' }),
    ])

    const suite = await run('Run the suite')
    expect(suite.code, suite.stdout + suite.stderr).toBe(0)
    expect(suite.stdout).toMatch(/pass 4\n/)

    const stop = await run('Stop the node')
    expect([stop.code, stop.stderr]).toEqual([0, ''])
    expect(stop.stdout).toContain('sealed ')
    await expect
      .poll(() => fetch(`http://127.0.0.1:${port}/health`).then(String, () => 'gone'))
      .toBe('gone')
  },
)
