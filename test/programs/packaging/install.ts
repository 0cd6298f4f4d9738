import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../../..')

/** A way to install packages. */
interface Manager {
  /** The program and its first words, which the packages follow. */
  readonly add: readonly string[]
  /** Files of the project that set up the manager. */
  readonly files?: Readonly<Record<string, string>>
  readonly env?: NodeJS.ProcessEnv
}

/** The version of the package in a folder of this repository, from its top. */
function versionOf(folder: string): string {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).version
}

/** Path of a program of a package that is installed in this folder. */
export function programOf(path: string): string {
  return join(here, 'node_modules', path)
}

/** The registry that npm is set up for, which the other managers are to use, too. */
export function registry(): string {
  return spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim()
}

/**
 * Installs the packed package in the working folder, which is empty: alone, and with the packages of
 * the README's start. Then its program, its devnet, its networks and the README's test must work there.
 * Arguments of the process are the packed file and a version of Node.js.
 *
 * @throws {Error} if anything ends with an exit code; what it says is printed
 */
export function install({ add, files = {}, env = {} }: Manager) {
  const [file = '', version = 'own'] = process.argv.slice(2)
  const node = nodeOf(version)
  const run = (folder: string, [command = '', ...args]: readonly string[]) => {
    const { status, stdout, error } = spawnSync(command, args, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...env, PATH: `${dirname(node)}:${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    process.stdout.write(stdout ?? '')
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`, { cause: error })
    return stdout.trim()
  }
  const expect = (actual: string, expected: string) => {
    if (actual !== expected) throw new Error(`${actual} in place of ${expected}`)
  }
  const project = (name: string, packages: readonly string[]) => {
    const folder = join(process.cwd(), name)
    mkdirSync(folder)
    const all = { 'package.json': '{"private":true,"type":"module"}', ...files }
    for (const [path, text] of Object.entries(all)) writeFileSync(join(folder, path), text)
    run(folder, [...add, ...packages])
    expect(run(folder, [join('node_modules', '.bin', 'pending-node'), '--version']), versionOf('.'))
    return (program: string) => {
      writeFileSync(join(folder, 'program.js'), program)
      return run(folder, [node, 'program.js'])
    }
  }
  const alone = project('alone', [file])
  if (existsSync('alone/node_modules/hardhat')) throw new Error('Hardhat is installed unasked.')
  expect(alone(DEVNET), '1')
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const [, words] = /^npm install --save-dev hardhat-pending-node (.+)$/m.exec(readme) ?? []
  if (words === undefined) throw new Error('The README has no line that installs its start.')
  // In the versions that are tested here: a new one of others does not fail this.
  const pinned = words.split(' ').map((name) => {
    return /.@/.test(name) ? name : `${name}@${versionOf(`node_modules/${name}`)}`
  })
  const started = project('start', [file, ...pinned])
  writeFileSync('start/hardhat.config.js', CONFIG)
  expect(started(NETWORK), '0x1')
  rmSync('start/hardhat.config.js')
  cpSync(join(root, 'examples/viem-vitest'), 'start', {
    recursive: true,
    filter: (path) => !/package\.json|node_modules/.test(path),
  })
  run('start', [join('node_modules', '.bin', 'vitest'), 'run'])
}

const DEVNET = `import { createDevnet } from 'hardhat-pending-node/devnet'
const devnet = createDevnet({ port: 0, frozen: true })
await devnet.start()
console.log((await devnet.clock.advance({ blocks: 1 })).latest.number)
await devnet.stop()
`

const CONFIG = `import pendingNode from 'hardhat-pending-node'
export default { plugins: [pendingNode] }
`

const NETWORK = `import { network } from 'hardhat'
const { pendingNode, provider, close } = await network.create('pending')
await pendingNode.freeze()
await pendingNode.seal()
console.log(await provider.request({ method: 'eth_blockNumber' }))
await close()
`

/** Path of Node.js in that version. */
function nodeOf(version: string): string {
  if (version === 'own') return process.execPath
  const path = programOf(`node-${version}-${process.platform}-${process.arch}/bin/node`)
  if (existsSync(path)) return path
  throw new Error(`The lock file of ${here} has no Node.js ${version} for this system.`)
}
