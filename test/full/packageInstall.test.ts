import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Status } from '../../devnet/types.ts'
import { type Consumer, createConsumer, pack } from './consumer.ts'

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

let packed: ReturnType<typeof pack>

beforeAll(() => {
  packed = pack()
})
afterAll(() => {
  packed[Symbol.dispose]()
})

/** What the examples need beside Hardhat and its plugins. */
const common = [
  '@nomicfoundation/hardhat-viem@3.0.9',
  '@types/node@24',
  'ethers@6.17.0',
  'solc@0.8.37',
  'typescript@7.0.2',
  'viem@2.57.1',
  'vitest@5.1.1',
]

// The oldest Hardhat that the package allows, and the one that it is made with; each with plugins of its
// time. The README's commands install the newest (documentedCommands.test.ts).
describe.each([
  [
    'hardhat@3.8.0',
    '@nomicfoundation/hardhat-ethers@4.0.15',
    '@nomicfoundation/hardhat-node-test-runner@3.0.17',
  ],
  [
    'hardhat@3.17.0',
    '@nomicfoundation/hardhat-ethers@4.1.0',
    '@nomicfoundation/hardhat-node-test-runner@3.1.0',
  ],
])('in a project with %s', (...packages) => {
  let project: Consumer

  beforeAll(async () => {
    project = createConsumer()
    await project.install(packed.file, ...packages, ...common)
    writeFileSync(
      join(project.folder, 'hardhat.config.ts'),
      `import { defineConfig } from 'hardhat/config'
import pendingNode from 'hardhat-pending-node'
export default defineConfig({ plugins: [pendingNode] })
`,
    )
    for (const name of ['viem-vitest', 'ethers-node-test', 'fork']) project.addExample(name)
    for (const name of ['strict', 'features']) {
      const folder = fileURLToPath(new URL(name, import.meta.url))
      cpSync(folder, join(project.folder, name), { recursive: true })
    }
  })
  afterAll(() => {
    project[Symbol.dispose]()
  })

  /** Runs `npx …` and answers what it printed, if it went well. */
  async function npx(folder: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await project.npx(folder, ...args)
    expect(code, stdout + stderr).toBe(0)
    return stdout
  }

  test('there is one Hardhat, of that version', async () => {
    const file = join(project.folder, 'node_modules/hardhat/package.json')
    const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'))
    expect(`hardhat@${version}`).toBe(packages[0])
    const own = join(project.folder, 'node_modules/hardhat-pending-node/node_modules/hardhat')
    expect(existsSync(own)).toBe(false)
  })

  test('npx vitest run', async () => {
    expect(await npx('viem-vitest', 'vitest', 'run')).toMatch(/Tests +1 passed/)
    await npx('viem-vitest', 'tsc', '--project', 'tsconfig.json')
    expect(await npx('fork', 'vitest', 'run')).toMatch(/Tests +1 passed/)
    await npx('fork', 'tsc', '--project', 'tsconfig.json')
  })

  test('npx hardhat test', async () => {
    expect(await npx('ethers-node-test', 'hardhat', 'test')).toMatch(/1 passing/)
    await npx('ethers-node-test', 'tsc', '--project', 'tsconfig.json')
  })

  test('its types hold with skipLibCheck: false', async () => {
    await npx('strict', 'tsc', '--project', 'tsconfig.json')
  })

  test("stack traces, console.log, coverage and gas statistics are those of Hardhat's own network", async () => {
    const reports = ['--coverage', '--gas-stats']
    const printed = async (network: string) => {
      const stdout = await npx('features', 'hardhat', 'test', '--network', network, ...reports)
      // What comes before the tests, and durations, differ from run to run.
      return stdout.slice(stdout.indexOf('Running node:test')).replaceAll(/ \(\d+ms\)/g, '')
    }
    const expected = await printed('default')
    expect(expected).toContain(
      'adds 2\nCounter._take (contracts/Counter.sol:21)\nCounter.take (contracts/Counter.sol:17)\n',
    )
    expect(expected).toMatch(/contracts\/Counter\.sol *│ \d/)
    expect(expected).toMatch(/add *│ \d{5} /)
    expect(await printed('pending')).toBe(expected)
  })

  test('the tasks and the binary drive a node in another process', async () => {
    await using node = project.start('hardhat', 'pending-node', '--port', '0', '--json', '--frozen')
    const { url }: { url: string } = JSON.parse(await node.firstLine)
    const drive = async (...args: string[]): Promise<Status> =>
      JSON.parse(await npx('.', ...args, '--url', url, '--json'))
    const advanced = await drive('hardhat', 'pending-node', 'advance', '--blocks', '2')
    expect(advanced.latest.number).toBe(2)
    expect((await drive('hardhat', 'pending-node', 'seal')).latest.number).toBe(3)
    const frozen = await drive('hardhat', 'pending-node', 'freeze', '--ticks')
    expect([frozen.ticks.running, frozen.sealing.running]).toEqual([false, false])
    expect((await drive('pending-node', 'status')).latest).toEqual(frozen.latest)
  })
})

test('the binary and the devnet work where Hardhat is not installed', async () => {
  using project = createConsumer()
  // What a program in TypeScript has beside it, and nothing else: no peer of the package.
  await project.install('--omit=peer', packed.file, 'typescript@7.0.2', '@types/node@24')
  expect(existsSync(join(project.folder, 'node_modules/hardhat'))).toBe(false)

  const version = await project.npx('.', 'pending-node', '--version')
  expect(version).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' })

  await using node = project.start('pending-node', '--port', '0', '--json', '--frozen')
  const { url }: { url: string } = JSON.parse(await node.firstLine)
  const health = await fetch(`${url}/health`)
  expect(await health.json()).toMatchObject({ status: 'ok', sealing: 'frozen' })
  const { code, stdout } = await project.npx('.', 'pending-node', 'seal', '--url', url, '--json')
  expect([code, JSON.parse(stdout).latest.number]).toEqual([0, 1])

  const program = `import { createDevnet, type Status } from 'hardhat-pending-node/devnet'
const devnet = createDevnet({ port: 0, frozen: true })
await devnet.start()
const { latest }: Status = await devnet.clock.seal()
console.log(latest.number, await devnet.provider.request({ method: 'eth_chainId' }))
await devnet.stop()
`
  writeFileSync(join(project.folder, 'program.ts'), program)
  // With all declarations, of the package and of what it needs.
  const strict = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--lib',
    'es2024,esnext.disposable',
  ]
  expect(await project.npx('.', 'tsc', ...strict, '--types', 'node', 'program.ts')).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  })
  expect(await project.node('program.ts')).toEqual({
    code: 0,
    stdout: '1 0x7a69\n',
    stderr: '',
  })
})
