import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

/** Address of the node under test. */
export const url: string = process.argv[2] ?? ''

/** The first account of the node, and its key, which is public knowledge. */
export const sender = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
export const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
export const other = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

export const foundryFolder = fileURLToPath(new URL('../foundry/', import.meta.url))
export const solc: string = fileURLToPath(new URL('../solc.js', import.meta.url))

/** Path of a program of Foundry, not of its wrapper. */
export function foundryProgram(name: 'cast' | 'forge'): string {
  const machine = process.arch === 'x64' ? 'amd64' : process.arch
  const wrapper = createRequire(require.resolve(`@foundry-rs/${name}/package.json`))
  return wrapper.resolve(
    `@foundry-rs/${name}-${process.platform}-${machine}/bin/${name}${process.platform === 'win32' ? '.exe' : ''}`,
  )
}

/** Runs cast to its end, and returns the last line that it printed. */
export function cast(...args: readonly string[]): string {
  return foundry('cast', args).trim().split('\n').at(-1) ?? ''
}

/** Nonce of the first account behind what is pre-confirmed. */
export function pendingNonce(): string {
  return cast('nonce', '--block', 'pending', sender)
}

/** Deploys the counter with `forge create`, and returns its address. */
export function createCounter(): string {
  const chain = ['--private-key', key, '--broadcast']
  const printed = foundry('forge', ['create', ...chain, 'src/Counter.sol:Counter'])
  const address = /Deployed to: (0x[0-9a-fA-F]{40})/.exec(printed)?.[1]
  if (address === undefined) throw new Error('forge create names no address.')
  return address
}

/** Runs the script that deploys a counter and counts to two. */
export function increaseScript(...flags: readonly string[]) {
  foundry('forge', [
    'script',
    ...['--rpc-url', url, '--broadcast', ...flags],
    `${foundryFolder}script/Increase.s.sol:Increase`,
  ])
}

/**
 * Runs a program of Foundry to its end.
 *
 * @returns what it printed, which is passed on
 * @throws {Error} if it fails
 */
export function foundry(name: 'cast' | 'forge', args: readonly string[], env = {}): string {
  const folder = process.cwd()
  // The project is read where it is, and what forge writes goes to the scratch folder.
  const places =
    name === 'cast'
      ? []
      : [
          '--root',
          foundryFolder,
          '--out',
          `${folder}/out`,
          '--cache-path',
          `${folder}/cache`,
          '--use',
          solc,
          '--offline',
        ]
  const [command = '', ...rest] = args
  const { status, stdout, stderr } = spawnSync(
    foundryProgram(name),
    [command, ...places, ...rest],
    {
      encoding: 'utf8',
      env: { ...process.env, ETH_RPC_URL: url, FOUNDRY_BROADCAST: `${folder}/broadcast`, ...env },
    },
  )
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  if (status !== 0) throw new Error(`${name} ${command} failed.`)
  return stdout
}

/**
 * Runs a task of Hardhat in one of the projects beside this folder, on the node under test.
 *
 * @throws {Error} if it fails; what it says is printed
 */
export function hardhat(project: string, task: string, ...args: readonly string[]) {
  const cli = fileURLToPath(new URL('../node_modules/hardhat/dist/src/cli.js', import.meta.url))
  const { status } = spawnSync(process.execPath, [cli, task, ...args, '--network', 'devnet'], {
    cwd: fileURLToPath(new URL(`../${project}/`, import.meta.url)),
    env: { ...process.env, NODE_URL: url, SCRATCH: process.cwd() },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Error(`hardhat ${task} failed.`)
}
