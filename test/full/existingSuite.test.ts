import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Consumer } from './consumer.ts'
import { createToolboxProject } from './toolboxProject.ts'

/*
 * The suite under ./market is written for Hardhat's own network, `default`: nothing in it knows
 * this plugin but the line `plugins` of its configurations.
 */

let project: Consumer

beforeAll(async () => {
  project = await createToolboxProject('market')
})
afterAll(() => {
  project[Symbol.dispose]()
})

/**
 * The test with balance matchers, which compare the block of a transaction with the one before. On
 * `pending` it passes only if the sealing clock happens to separate its transactions.
 */
const COMPARES_BLOCKS = 'sells tokens for ether that the owner collects'

interface Runner {
  /** Arguments of npx. */
  readonly command: (network: string) => string[]
  /** Number of tests. */
  readonly count: number
}

const runners: [string, Runner][] = [
  [
    'node:test, viem and its assertions',
    {
      command: (network) => ['hardhat', 'test', 'nodejs', '--network', network],
      count: 10,
    },
  ],
  [
    'mocha, ethers and chai matchers',
    {
      command: (network) => {
        return ['hardhat', '--config', 'ethers.config.ts', 'test', 'mocha', '--network', network]
      },
      count: 5,
    },
  ],
  [
    'vitest, viem and its assertions',
    {
      command: (network) => ['vitest', 'run', '--mode', network, '--reporter', 'tap-flat'],
      count: 10,
    },
  ],
]

/** Names of the tests that an output tells of, as mocha, Hardhat's reporter and TAP write it. */
function outcomes(output: string): { passed: string[]; failed: string[] } {
  const names = (line: RegExp) =>
    [...output.matchAll(line)].map(([, first, second]) => first ?? second ?? '')
  const spec = '(.*?)(?: \\(\\d+ms\\))?'
  const tap = '\\d+ - .* > (.*) # time=.*'
  return {
    passed: names(new RegExp(`^(?: +✔ ${spec}|ok ${tap})$`, 'gm')),
    failed: names(new RegExp(`^(?: {4}\\d+\\) ${spec}|not ok ${tap})$`, 'gm')),
  }
}

describe.each(runners)('%s', (_, { command, count }) => {
  async function run(network: string) {
    const { code, stdout, stderr } = await project.npx('.', ...command(network))
    return { code, ...outcomes(stdout), output: stdout + stderr }
  }

  test.each(['default', 'instant'])('behavior: on %s all pass', async (network) => {
    const { code, passed, failed, output } = await run(network)
    expect({ code, failed }, output).toEqual({ code: 0, failed: [] })
    expect(passed).toHaveLength(count)
  })

  test('behavior: on pending all pass but a test that compares blocks', async () => {
    const { passed, failed, output } = await run('pending')
    expect([[], [COMPARES_BLOCKS]], output).toContainEqual(failed)
    expect(passed).toHaveLength(count - failed.length)
  })
})

test.each(['tsconfig.json', 'ethers.tsconfig.json'])(
  'behavior: its types hold: %s',
  async (file) => {
    expect(await project.npx('.', 'tsc', '--project', file)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  },
)
