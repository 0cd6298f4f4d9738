import { spawn } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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
 *
 * @param sources - folders of this repository whose `node_modules` have its packages, in this order.
 * Default: the root
 */
export function createExample(name: string, sources: readonly string[] = ['.']): ExampleProject {
  const top = mkdtempSync(join(tmpdir(), 'pending-node-example-'))
  let parent = top
  // Packages are looked for from the inside out.
  for (const source of sources.toReversed()) {
    parent = join(parent, 'project')
    mkdirSync(parent)
    symlinkSync(join(root, source, 'node_modules'), join(parent, 'node_modules'), 'junction')
  }
  const folder = join(parent, name)
  cpSync(join(root, 'examples', name), folder, { recursive: true })
  // Its own package and binary lie in no node_modules of the repository.
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(root, join(folder, 'node_modules/hardhat-pending-node'), 'junction')
  const binary = join(root, 'dist/plugin/bin/pending-node.js')
  writeFileSync(
    join(folder, 'node_modules/.bin/pending-node'),
    `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(binary)} "$@"\n`,
    { mode: 0o755 },
  )
  linkWorkspaces(folder)
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
    [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true }),
  }
}

/** Links the packages of a monorepo, as `npm install` does. */
function linkWorkspaces(folder: string) {
  for (const file of globSync('packages/*/package.json', { cwd: folder })) {
    const { name }: { name: string } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(folder, dirname(file)), link, 'junction')
  }
}

/** Without colours, and without what a test of vitest, or of node:test, tells the processes that it starts. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT, ...env } = process.env
  for (const name of Object.keys(env)) if (/^VITEST/.test(name)) delete env[name]
  return { ...env, FORCE_COLOR: '0', NO_COLOR: '1', NODE_ENV: 'production' }
}
