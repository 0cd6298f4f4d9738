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
const solc = fileURLToPath(new URL('../solc.js', import.meta.url))

/**
 * Runs a program of Foundry to its end.
 *
 * @returns what it printed, which is passed on
 * @throws {Error} if it fails
 */
export function foundry(name: 'cast' | 'forge', args: readonly string[], env = {}): string {
  const machine = process.arch === 'x64' ? 'amd64' : process.arch
  const wrapper = createRequire(require.resolve(`@foundry-rs/${name}/package.json`))
  const program = wrapper.resolve(
    `@foundry-rs/${name}-${process.platform}-${machine}/bin/${name}${process.platform === 'win32' ? '.exe' : ''}`,
  )
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
  const { status, stdout, stderr } = spawnSync(program, [command, ...places, ...rest], {
    encoding: 'utf8',
    env: { ...process.env, FOUNDRY_BROADCAST: `${folder}/broadcast`, ...env },
  })
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
