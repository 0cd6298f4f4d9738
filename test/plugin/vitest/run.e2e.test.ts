import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createStage } from '../assertions/stage.ts'
import { createTestProject, hardhatConfig, source, vitestConfig } from './testProject.ts'

const contract = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Box { uint256 public value; function set(uint256 to) external { value = to; } }
`
const setup = source('plugin/vitest/global-setup.ts')
const index = source('plugin/vitest/index.ts')
const plugin = source('plugin/index.ts')

/** A test of the project: it sends to the node of the run, looks, and fails last. */
const spec = `import { expect, inject, test } from 'vitest'

const url = inject('pendingNodeUrl')
async function ask(method, ...params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const { result } = await (await fetch(url, { method: 'POST', headers, body })).json()
  return result
}

test('holds', async () => {
  expect(process.env.PENDING_NODE_URL).toBe(url)
  const [from] = await ask('eth_accounts')
  const hash = await ask('eth_sendTransaction', { from, to: from })
  await ask('preconf_advance', { ticks: 1 })
  await expect(hash).toBePreconfirmed(url)
  await expect(from).toHavePendingNonce(url, 1)
})

test('fails', async () => {
  const [, from] = await ask('eth_accounts')
  const hash = await ask('eth_sendTransaction', { from, to: from, nonce: '0x1', gas: '0x5208' })
  await expect(hash).toBePreconfirmed(url)
})

test('fails under not', async () => {
  const [from] = await ask('eth_accounts')
  await expect(from).not.toHavePendingNonce(url, 1)
})
`

describe('vitest', () => {
  test('compiles, starts a node, tells what was seen', async () => {
    using project = createTestProject({
      'hardhat.config.ts': hardhatConfig,
      'contracts/Box.sol': contract,
      'vitest.config.ts': vitestConfig(`globalSetup: ['./global-setup.ts']`),
      'global-setup.ts': `import { createGlobalSetup } from ${index}
export default createGlobalSetup({ node: { frozenTicks: true } })
`,
      'box.test.ts': spec,
    })
    const { stdout, stderr, code } = await project.vitest()
    expect(stdout).toContain('✓ box.test.ts > holds')
    expect(stderr).toMatch(
      /\nError: expected transaction 0x[0-9a-f]{64} to be pre-confirmed, but it is queued behind a nonce gap: the node expects nonce 0 of 0x7099[0-9a-f]{36}, it has 1\n\nExpected: "pre-confirmed"\nReceived: "queued behind a nonce gap"\n\n . box.test.ts:23:3\n/,
    )
    expect(stderr).toMatch(/not to have nonce 1 in pending, but it has, and 0 in latest\n/)
    expect(stdout).toMatch(/2 failed \| 1 passed/)
    expect(code).toBe(1)
    expect(existsSync(join(project.folder, 'artifacts/contracts/Box.sol/Box.json'))).toBe(true)
  })

  test('asked by the configuration, and by the environment', async () => {
    using project = createTestProject({
      'hardhat.config.ts': hardhatConfig,
      'vitest.config.ts': vitestConfig(
        `testNamePattern: /holds/, globalSetup: [${setup}], provide: { pendingNode: { frozenTicks: true } }`,
      ),
      'box.test.ts': spec,
    })
    const provided = await project.vitest()
    expect(`${provided.stdout}${provided.stderr}`).toContain('✓ box.test.ts > holds')
    expect(provided.code).toBe(0)
  })

  test('a node that runs elsewhere', async () => {
    await using stage = await createStage()
    using project = createTestProject({
      'vitest.config.ts': vitestConfig(`testNamePattern: /holds/, globalSetup: ['./setup.ts']`),
      'setup.ts': `export { default } from './own.ts'`,
      'own.ts': `import { createGlobalSetup } from ${index}
export default createGlobalSetup({ compile: false, node: true })
`,
      'box.test.ts': spec,
    })
    const { stdout } = await project.vitest({ PENDING_NODE_URL: stage.devnet.url })
    expect(stdout).toContain('✓ box.test.ts > holds')
    expect((await stage.devnet.clock.status()).pending.transactions).toHaveLength(1)
  })

  test('no node unless asked', async () => {
    using project = createTestProject({
      'hardhat.config.ts': hardhatConfig,
      'vitest.config.ts': vitestConfig(`globalSetup: [${setup}]`),
      'none.test.ts': `import { expect, inject, test } from 'vitest'
test('none', () => expect([inject('pendingNodeUrl'), process.env.PENDING_NODE_URL]).toEqual([undefined, undefined]))
`,
    })
    const { stdout } = await project.vitest()
    expect(stdout).toContain('✓ none.test.ts > none')
  })

  test('asked by the environment', async () => {
    using project = createTestProject({
      'hardhat.config.ts': hardhatConfig,
      'vitest.config.ts': vitestConfig(`globalSetup: [${setup}]`),
      'nonce.test.ts': `import { expect, inject, test } from 'vitest'
const nobody = '0x000000000000000000000000000000000000dEaD'
test('holds', () => expect(nobody).toHavePendingNonce(inject('pendingNodeUrl'), 0))
`,
    })
    const { stdout } = await project.vitest({ PENDING_NODE: '1' })
    expect(stdout).toContain('✓ nonce.test.ts > holds')
  })
})

describe('a monorepo', () => {
  /** A package with a contract of its own, whose test finds both its contract and its network. */
  const files = (name: string, chainId: number) => ({
    [`packages/${name}/package.json`]: `{"private":true,"type":"module","name":"${name}"}`,
    [`packages/${name}/hardhat.config.ts`]: hardhatConfig.replace(
      'export default {',
      `import pendingNode, { pendingNode as network } from ${plugin}
export default { plugins: [pendingNode], networks: { mine: network({ chainId: ${chainId} }) },`,
    ),
    [`packages/${name}/contracts/${name}.sol`]: contract.replace('Box', name),
    [`packages/${name}/vitest.config.ts`]: vitestConfig(
      `name: '${name}', globalSetup: [${setup}], testTimeout: 20_000`,
    ),
    [`packages/${name}/own.test.ts`]: `import { artifacts, config, network } from 'hardhat'
import { expect, test } from 'vitest'
test('is of its own project', async () => {
  expect((await artifacts.readArtifact('${name}')).contractName).toBe('${name}')
  const { provider } = await network.create('mine')
  expect(await provider.request({ method: 'eth_chainId' })).toBe('0x${chainId.toString(16)}')
})
`,
  })

  test.each<[string, Record<string, string>, readonly string[], readonly string[]]>([
    ['vitest --root', {}, ['--root', 'packages/One'], ['One']],
    [
      'projects',
      { 'vitest.config.ts': `export default { test: { projects: ['packages/*'] } }` },
      [],
      ['One', 'Two'],
    ],
  ])('%s', async (_, more, args, names) => {
    using project = createTestProject({ ...files('One', 1001), ...files('Two', 1002), ...more })
    const { stdout, stderr, code } = await project.vitest({}, ...args)
    const seen = `${stdout}${stderr}`
    for (const name of names) expect(seen).toMatch(new RegExp(`✓ .*${name}.*own.test.ts > is of`))
    expect(seen).toContain(`${names.length} passed`)
    expect(code).toBe(0)
  })
})

describe('errors', () => {
  const tests = { 'a.test.ts': `import { test } from 'vitest'\ntest('a', () => {})\n` }

  test.each<[string, Record<string, string>, string, string | RegExp]>([
    [
      'no Hardhat project',
      {},
      '',
      /\nSetupError: There is no Hardhat configuration in .+ or above it: run vitest in a Hardhat project, name it in the environment variable HARDHAT_CONFIG, or skip compilation with createGlobalSetup\({ compile: false }\)\.\n\n/,
    ],
    [
      'a configuration that fails',
      { 'hardhat.config.ts': `throw new Error('no key')` },
      '',
      /\nSetupError: The Hardhat configuration .+hardhat\.config\.ts does not load: [^\n]+\nCaused by: Error: no key\n . hardhat.config.ts:1:7\n/,
    ],
    [
      'contracts that do not compile',
      { 'hardhat.config.ts': hardhatConfig, 'contracts/Box.sol': `${contract} contract {` },
      '',
      /ParserError: Expected identifier[\s\S]+\nSetupError: The contracts do not compile: fix what is printed above[^\n]+\n\n/,
    ],
    [
      'an option that is wrong',
      { 'hardhat.config.ts': hardhatConfig },
      'provide: { pendingNode: { tickIntervall: 1 } },',
      /\nSetupError: tickIntervall is not an option; did you mean tickInterval\?\n\n/,
    ],
  ])('%s', async (_, files, more, text) => {
    using project = createTestProject({
      ...tests,
      ...files,
      'vitest.config.ts': vitestConfig(`${more} globalSetup: [${setup}]`),
    })
    const { code, stderr } = await project.vitest()
    expect(stderr).toMatch(text)
    expect(code).toBe(1)
  })

  test('port that is taken', async () => {
    await using stage = await createStage()
    const { port } = new URL(stage.devnet.url)
    using project = createTestProject({
      ...tests,
      'hardhat.config.ts': hardhatConfig,
      'vitest.config.ts': vitestConfig(
        `provide: { pendingNode: { port: ${port} } }, globalSetup: [${setup}]`,
      ),
    })
    const { code, stderr } = await project.vitest()
    expect(stderr).toMatch(new RegExp(`\\nSetupError: Port [^\\n]*${port}[^\\n]*\\n\\n`))
    expect(code).toBe(1)
  })
})

describe('plugin/README.md', () => {
  const readme = readFileSync(new URL('../../../plugin/README.md', import.meta.url), 'utf8')
  const [, part = ''] = readme.split('\n## Assertions\n')
  const [vitestExample, nodeExample] = [...part.matchAll(/```ts\n([\s\S]*?)```/g)].map(
    ([, code = '']) =>
      code.replace(/'hardhat-pending-node\/(\w+)'/g, (_, door) =>
        source(door === 'devnet' ? 'devnet/index.ts' : `plugin/${door}/index.ts`),
      ),
  )

  test('vitest', async () => {
    using project = createTestProject({
      'vitest.config.ts': `export default { cacheDir: '.cache' }`,
      'example.test.ts': vitestExample ?? '',
    })
    expect((await project.vitest()).stdout).toContain('✓ example.test.ts > a payment is visible')
  })

  test('node:test', async () => {
    using project = createTestProject({ 'example.test.ts': nodeExample ?? '' })
    const { stdout } = await project.node('--test', '--test-reporter=tap')
    expect(stdout).toContain('ok 1 - a payment is visible')
    expect(stdout).not.toContain('not ok')
  })
})

test('node:test', async () => {
  await using stage = await createStage()
  const hash = await stage.send()
  using project = createTestProject({
    'a.test.ts': `import test from 'node:test'
import { assertPreconfirmed, assertNotPreconfirmed } from ${source('plugin/assertions/index.ts')}
const [hash, url] = ${JSON.stringify([hash, stage.devnet.url])}
test('holds', () => assertNotPreconfirmed(hash, url))
test('fails', () => assertPreconfirmed(hash, url))
`,
  })
  const { code, stdout } = await project.node('--test', '--test-reporter=tap')
  expect(stdout).toContain('ok 1 - holds')
  expect(stdout).toMatch(
    /not ok 2 - fails[\s\S]+error: .?expected transaction 0x[0-9a-f]{64} to be pre-confirmed, but it waits in the mempool, and both clocks are frozen: tick\(\) or advance first[\s\S]+name: 'AssertionError'\n\s+expected: 'pre-confirmed'\n\s+actual: 'waiting in the mempool'\n\s+operator: 'assertPreconfirmed'/,
  )
  expect(code).toBe(1)
})
