import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type HardhatProcess, watched } from '../plugin/hardhatProcess.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A copy of an example project, outside of the tree, with packages as `npm install` would give it. */
export interface ExampleProject extends Disposable {
  readonly folder: string
  /** Starts a command in its folder. */
  start(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): HardhatProcess
}

/**
 * Copies `examples/<name>`. The packages are those of this repository, and `hardhat-pending-node` the repository itself,
 * compiled; test/full installs the examples for true.
 */
export function createExample(name: string): ExampleProject {
  const parent = mkdtempSync(join(tmpdir(), 'pending-node-example-'))
  const folder = join(parent, name)
  cpSync(join(root, 'examples', name), folder, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(parent, 'node_modules'), 'junction')
  // Its own package and binary lie in no node_modules of the repository.
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(root, join(folder, 'node_modules/hardhat-pending-node'), 'junction')
  const binary = join(root, 'dist/plugin/bin/pending-node.js')
  writeFileSync(
    join(folder, 'node_modules/.bin/pending-node'),
    `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(binary)} "$@"\n`,
    { mode: 0o755 },
  )
  return {
    folder,
    start: (command, args, env = {}) => {
      // A group of processes, because npm does not pass on the signal that ends it at once.
      const child = spawn(command, args, {
        cwd: folder,
        env: { ...plainEnvironment(), ...env },
        detached: true,
      })
      return watched(child, () => process.kill(-Number(child.pid), 'SIGKILL'))
    },
    [Symbol.dispose]: () => rmSync(parent, { recursive: true, force: true }),
  }
}

/** Without colours, and without what a test of vitest, or of node:test, tells the processes that it starts. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT, ...env } = process.env
  for (const name of Object.keys(env)) if (/^VITEST/.test(name)) delete env[name]
  return { ...env, FORCE_COLOR: '0', NO_COLOR: '1', NODE_ENV: 'production' }
}
