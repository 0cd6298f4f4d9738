import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { createExample, type ExampleProject } from './exampleProject.ts'

// Each starts several programs, one after the other.
vi.setConfig({ testTimeout: 120_000 })

/** Runs a script of the project to its end. */
async function npm(project: ExampleProject, script: string, env: NodeJS.ProcessEnv = {}) {
  await using run = project.start('npm', ['run', '--silent', script], env)
  return await run.ended
}

/** Checks the types of an example whose contracts are compiled. */
async function expectSoundTypes(project: ExampleProject) {
  await using tsc = project.start('npx', ['tsc', '--project', 'tsconfig.json'])
  const { code, stdout } = await tsc.ended
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
}

test.each(['viem-vitest', 'fork'])('%s passes', async (name) => {
  using project = createExample(name)
  const { code, stdout, stderr } = await npm(project, 'test')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/Tests +1 passed/)
  await expectSoundTypes(project)
})

test('branches passes', async () => {
  using project = createExample('branches')
  const { code, stdout, stderr } = await npm(project, 'test')
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/Tests +8 passed/)
  await expectSoundTypes(project)
})

test('monorepo passes', async () => {
  using project = createExample('monorepo')
  const { code, stdout, stderr } = await npm(project, 'test')
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/pass 2\n/)
  await expectSoundTypes(project)
})

describe('amsterdam', () => {
  test.each(['pending', 'amsterdam'])('the suite passes on the network %s', async (network) => {
    using project = createExample('amsterdam')
    // So that the suite would fail if it ran on another network.
    const file = join(project.folder, 'test/till.test.ts')
    const [opened, name] = ['await network.create()', '{ networkName, viem, pendingNode }']
    const text = readFileSync(file, 'utf8').replace('{ viem, pendingNode }', name)
    const asserted = `${opened}\n  expect(networkName).toBe('${network}')`
    writeFileSync(file, text.replace(opened, asserted))
    const { code, stdout, stderr } = await npm(project, 'test', { HARDHAT_NETWORK: network })
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/Tests +1 passed/)
    await expectSoundTypes(project)
  })
})

describe('migration', () => {
  const script = 'pending-node --instant'

  test.each([
    ['before', 'hardhat node'],
    ['after', script],
  ])('the suite passes %s: %s', async (_, command) => {
    using project = createExample('migration')
    const file = join(project.folder, 'package.json')
    const text = readFileSync(file, 'utf8')
    expect(text.split('\n')).toContain(`    "node": "${script}",`)
    // The one line that the migration changes.
    writeFileSync(file, text.replace(`"${script}"`, `"${command}"`))
    // In a container `hardhat node` would listen on all addresses.
    const address = ['--hostname', '127.0.0.1', '--port', '0']
    await using node = project.start('npm', ['run', '--silent', 'node', '--', ...address])
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await node.firstLine)?.[0]
    expect(url).toBeDefined()
    const { code, stdout, stderr } = await npm(project, 'test', { RPC_URL: url })
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/pass 4\n/)
    await expectSoundTypes(project)
  })
})
