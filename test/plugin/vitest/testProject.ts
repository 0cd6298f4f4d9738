import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Ending, watched } from '../hardhatProcess.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const vitest = join(root, 'node_modules/vitest/vitest.mjs')

/** Path of a file of this package, as code that imports it writes it. */
export function source(path: string): string {
  return JSON.stringify(join(root, path))
}

/** A project of files in a folder of its own, whose tests run in a process of their own. */
export interface TestProject extends Disposable {
  readonly folder: string
  /** Runs the project's tests with vitest. @param args - of its command line */
  vitest(env?: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Ending>
  /** Runs a file with Node.js. */
  node(...args: readonly string[]): Promise<Ending>
}

/** @param files - their contents by path */
export function createTestProject(files: Readonly<Record<string, string>>): TestProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pending-node-vitest-')))
  const all = {
    'package.json': '{"private":true,"type":"module"}',
    // Without a cache, which would lie in the modules that all projects share.
    ...files,
  }
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const run = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const child = spawn(process.execPath, args, { cwd: folder, env: { ...plain(), ...env } })
    await using started = watched(child)
    return await started.ended
  }
  return {
    folder,
    vitest: (env, ...args) => run([vitest, 'run', '--reporter=verbose', ...args], env),
    node: (...args) => run(args),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The environment of a shell, without what vitest tells the processes of its own tests. */
function plain(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' }
  for (const name of Object.keys(env)) {
    if (
      /^(VITEST|TEST$|NODE_ENV$|NODE_TEST|PENDING_NODE|DEV$|PROD$|MODE$|SSR$|CI$|GITHUB_)/.test(
        name,
      )
    )
      delete env[name]
  }
  return env
}

/** A configuration of vitest that sets the matchers up. */
export function vitestConfig(more: string): string {
  return `import { defineConfig } from 'vitest/config'
export default defineConfig({
  cacheDir: '.cache',
  test: { setupFiles: [${source('plugin/vitest/index.ts')}], maxWorkers: 1, ${more} },
})
`
}

/** A configuration of Hardhat with the compiler that npm installed: nothing is downloaded. */
export const hardhatConfig = `import { createRequire } from 'node:module'
const path = createRequire(import.meta.url).resolve('solc/soljson.js')
const profile = { version: '0.8.37', path }
export default { solidity: { profiles: { default: profile, production: profile } } }
`
