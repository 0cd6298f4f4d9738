import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Consumer } from './consumer.ts'
import { createToolboxProject } from './toolboxProject.ts'

/* Hardhat's own network decides what `--coverage` and `--gas-stats-json` report of ./reports. */

let project: Consumer

beforeAll(async () => {
  project = await createToolboxProject('reports')
  writeFileSync(join(project.folder, 'contracts/Big.sol'), bigContract())
})
afterAll(() => {
  vi.unstubAllEnvs()
  project[Symbol.dispose]()
})

/** A contract that has more than 24 KB of code only once it is instrumented. */
function bigContract(): string {
  const functions = Array.from(
    { length: 75 },
    (_, index) => `
    function f${index}(uint256 x) external returns (uint256) {
        uint256 y = x + ${index};
        if (y > ${1000 + index}) {
            y = y - ${index * 3 + 1};
        } else {
            y = y - ${index * 5};
        }
        last = y;
        return y;
    }
`,
  )
  return `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

contract Big {
    uint256 public last;
${functions.join('')}}
`
}

interface Reports {
  readonly lcov: string
  readonly gas: unknown
}

type Command = (network: string) => string[]

const runners: readonly [name: string, command: Command][] = [
  ['node:test and viem', (network) => ['hardhat', 'test', 'nodejs', '--network', network]],
  [
    'mocha and ethers',
    (network) => ['hardhat', '--config', 'ethers.config.ts', 'test', 'mocha', '--network', network],
  ],
  ['vitest and viem', (network) => ['vitest', 'run', '--mode', network]],
]

const GAS_FILE = 'gas.json'

/** Runs the tests on a network, with both reports. Hardhat takes its options from these too. */
async function reportsOf(command: Command, network: string): Promise<Reports> {
  const lcov = join(project.folder, 'coverage/lcov.info')
  rmSync(lcov, { force: true })
  vi.stubEnv('HARDHAT_COVERAGE', 'true')
  vi.stubEnv('HARDHAT_GAS_STATS_JSON', GAS_FILE)
  const { code, stdout, stderr } = await project.npx('.', ...command(network))
  expect(code, stdout + stderr).toBe(0)
  return {
    lcov: readFileSync(lcov, 'utf8'),
    gas: JSON.parse(readFileSync(join(project.folder, GAS_FILE), 'utf8')),
  }
}

describe.each(runners)('%s', (_, command) => {
  let expected: Reports

  beforeAll(async () => {
    expected = await reportsOf(command, 'default')
    expect(expected.lcov).toContain('SF:contracts/Shop.sol')
    expect(expected.gas).toHaveProperty(['contracts', 'contracts/Shop.sol:Shop'])
  })

  test.each(['instant', 'pending'])(
    "%s reports what Hardhat's own network does",
    async (network) => {
      const { lcov, gas } = await reportsOf(command, network)
      expect(lcov).toBe(expected.lcov)
      expect(gas).toEqual(expected.gas)
    },
  )
})

test('the gas of proxies is that without coverage too', async () => {
  const gasOf = async (network: string) => {
    const options = ['--network', network, '--gas-stats-json', GAS_FILE]
    vi.unstubAllEnvs()
    const { code, stdout, stderr } = await project.npx('.', 'hardhat', 'test', 'nodejs', ...options)
    expect(code, stdout + stderr).toBe(0)
    return readFileSync(join(project.folder, GAS_FILE), 'utf8')
  }
  const expected = await gasOf('default')
  const via =
    'contracts/Proxies.sol:Counter (via contracts/Proxies.sol:Proxy → contracts/Proxies.sol:Proxy)'
  expect(JSON.parse(expected)).toHaveProperty(['contracts', via])
  expect(await gasOf('pending')).toBe(expected)
})
