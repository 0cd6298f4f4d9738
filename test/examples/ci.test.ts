import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../support/freePort.ts'
import { createExample, type ExampleProject } from './exampleProject.ts'

// They start several programs, one after the other.
vi.setConfig({ testTimeout: 120_000 })

interface Workflow {
  readonly jobs: {
    readonly tests: { readonly steps: readonly { readonly name?: string; readonly run?: string }[] }
  }
}

interface Pipeline {
  readonly tests: {
    readonly before_script: readonly string[]
    readonly script: readonly string[]
    readonly after_script: readonly string[]
    readonly artifacts: { readonly when: string; readonly paths: readonly string[] }
  }
}

const read = (name: string) =>
  readFileSync(new URL(`../../examples/ci/${name}`, import.meta.url), 'utf8')
const workflow: Workflow = parse(read('pending-node.yml'))
const pipeline: Pipeline = parse(read('gitlab-ci.yml'))

/** The script of the step with this name, as GitHub gives it to the shell. */
function stepOf(name: string): string {
  const run = workflow.jobs.tests.steps.find((step) => step.name === name)?.run
  if (run === undefined) throw new Error(`No script in the step "${name}"`)
  return run
}

/** Runs scripts as a runner does: each in a shell of its own, which ends at the first failure. */
async function createRunner(project: ExampleProject, pidOf: (variables: string) => string) {
  const port = await freePort()
  // GitHub's way to tell later steps of variables.
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
    /** Ends the node where the job did not. */
    [Symbol.dispose]: () => {
      const pid = Number(pidOf(env().NODE_PID ?? ''))
      if (!(pid > 0)) return
      try {
        process.kill(pid, 'SIGKILL')
      } catch (error) {
        // ESRCH: it has ended, as it should.
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
      }
    },
    run: async (script: string) => {
      const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script]
      await using shell = project.start('bash', args, env())
      return await shell.ended
    },
    isGone: () =>
      expect
        .poll(() => fetch(`http://127.0.0.1:${port}/health`).then(String, () => 'gone'))
        .toBe('gone'),
  }
}

describe.skipIf(process.platform === 'win32')(
  'the job starts the node, waits, runs the suite, stops the node',
  () => {
    test('on GitHub', async () => {
      using project = createExample('migration')
      using runner = await createRunner(project, (pid) => pid)
      const { run, isGone } = runner
      expect(stepOf('Install')).toBe('npm ci')

      const start = await run(stepOf('Start the node'))
      // Nothing of the attempts before the node is up.
      expect([start.code, start.stderr, JSON.parse(start.stdout)]).toEqual([
        0,
        '',
        expect.objectContaining({ status: 'ok', sealing: 'instant' }),
      ])

      const suite = await run(stepOf('Run the suite'))
      expect(suite.code, suite.stdout + suite.stderr).toBe(0)
      expect(suite.stdout).toMatch(/pass 4\n/)

      const stop = await run(stepOf('Stop the node'))
      expect([stop.code, stop.stderr]).toEqual([0, ''])
      expect(stop.stdout).toContain('sealed ')
      await isGone()
    })

    test('on GitLab', async () => {
      using project = createExample('migration')
      const pidFile = join(project.folder, 'node.pid')
      using runner = await createRunner(project, () =>
        existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : '',
      )
      const { run, isGone } = runner
      const { before_script: before, script, after_script: after, artifacts } = pipeline.tests
      expect(before[0]).toMatch(/^npm ci /)

      // One shell runs both lists, another one the third.
      const suite = await run([...before.slice(1), ...script].join('\n'))
      expect(suite.code, suite.stdout + suite.stderr).toBe(0)
      expect(suite.stdout).toMatch(/^\{"status":"ok",.*"sealing":"instant"\}/)
      expect(suite.stdout).toMatch(/pass 4\n/)

      const stop = await run(after.join('\n'))
      expect([stop.code, stop.stdout, stop.stderr]).toEqual([0, '', ''])
      await isGone()
      expect(artifacts.when).toBe('always')
      const [log = ''] = artifacts.paths
      expect(readFileSync(join(project.folder, log), 'utf8')).toContain('sealed ')
    })
  },
)
