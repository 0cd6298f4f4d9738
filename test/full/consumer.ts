import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Ending, type HardhatProcess, watched } from '../plugin/hardhatProcess.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A project of a user, outside of the tree. */
export interface Consumer extends Disposable {
  readonly folder: string
  /** Installs packages from the registry, or from files. */
  install(...packages: readonly string[]): Promise<void>
  /** Copies `examples/<name>` into the project, where it finds the packages of the project. */
  addExample(name: string): void
  /** Runs `npx …` in a folder of the project, to its end. */
  npx(folder: string, ...args: readonly string[]): Promise<Ending>
  /** Runs `node …` in the project, to its end: this process's own Node.js, where npx may find an older one. */
  node(...args: readonly string[]): Promise<Ending>
  /** Starts `npx …` in the project. */
  start(...args: readonly string[]): HardhatProcess
  /** Starts a script of bash in the project. @param env - more of the environment */
  shell(script: string, env?: NodeJS.ProcessEnv): HardhatProcess
}

/** An empty project. */
export function createConsumer(): Consumer {
  const folder = mkdtempSync(join(tmpdir(), 'pending-node-consumer-'))
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const start = (
    command: string,
    args: readonly string[],
    cwd: string,
    more: NodeJS.ProcessEnv = {},
  ): HardhatProcess => {
    const env = { ...plainEnvironment(), ...more }
    // A group of processes, because npx does not pass on the signal that ends it at once.
    const child = spawn(command, args, { cwd, env, detached: true })
    return watched(child, () => process.kill(-Number(child.pid), 'SIGKILL'))
  }
  const run = async (command: string, args: readonly string[], cwd: string): Promise<Ending> => {
    await using child = start(command, args, cwd)
    return await child.ended
  }
  return {
    folder,
    install: async (...packages) => {
      const quiet = ['--prefer-offline', '--no-audit', '--no-fund']
      const { code, stderr } = await run('npm', ['install', ...quiet, ...packages], folder)
      if (code !== 0) throw new Error(`npm install failed: ${stderr}`)
    },
    addExample: (name) => {
      const target = join(folder, name)
      cpSync(join(root, 'examples', name), target, { recursive: true })
    },
    npx: (subfolder, ...args) => run('npx', ['--no-install', ...args], join(folder, subfolder)),
    node: (...args) => run(process.execPath, args, folder),
    start: (...args) => start('npx', ['--no-install', ...args], folder),
    shell: (script, env) => start('bash', ['-c', script], folder, env),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
}

/** Packs this package, as it is compiled, into a file that goes with the scope that it is used in. */
export function pack(): { readonly file: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'pending-node-pack-'))
  const name = execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
  return {
    file: join(folder, name),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/**
 * Without colours and warnings of npm, without what vitest tells its processes, and without what npm tells its scripts: of which project they
 * are is another one here.
 */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:VITEST|NODE_ENV$|npm_(?:package|lifecycle|config_local_prefix)|INIT_CWD$)/.test(name),
  )
  return {
    ...Object.fromEntries(kept),
    FORCE_COLOR: '0',
    NO_COLOR: '1',
    npm_config_loglevel: 'error',
  }
}
