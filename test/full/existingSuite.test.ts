import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inGethsWords } from '../support/gethsWords.ts'
import type { Consumer } from './consumer.ts'
import { createToolboxProject } from './toolboxProject.ts'

/*
 * The suite under ./market is written for Hardhat's own network, `default`: nothing in it knows
 * this plugin but the line `plugins` of its configurations. The tests in its files `failing.ts` fail,
 * so that what reporters print of a failure is compared too.
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

/** Tests that fail on purpose, with the Solidity frames that reporters print of each. */
const FAILING: Readonly<Record<string, readonly string[]>> = {
  'a reason': ['Token.buy contracts/Token.sol:55'],
  'a custom error two calls deep': [
    'Token._transfer contracts/Token.sol:73',
    'Token.transferFrom contracts/Token.sol:44',
    'Vault.deposit contracts/Vault.sol:30',
  ],
  'a panic of a read': ['Vault.share contracts/Vault.sol:45'],
  'a panic behind a proxy': [
    'Rewards.spend contracts/Rewards.sol:28',
    'Proxy.<fallback> contracts/Proxy.sol:21',
  ],
  'a custom error of a library behind a proxy': [
    'Points.earned contracts/Points.sol:10',
    'Rewards.claim contracts/Rewards.sol:22',
    'Proxy.<fallback> contracts/Proxy.sol:21',
  ],
  'a constructor': ['Proxy.constructor contracts/Proxy.sol:14'],
  'no such function': ['Token.<unrecognized-selector> contracts/Token.sol:5'],
  'another event': [],
  'an event with another argument': [],
  'another reason': [],
  'another custom error': [],
}

interface Runner {
  /** Arguments of npx. */
  readonly command: (network: string) => string[]
  /** Number of tests that do not fail on purpose. */
  readonly count: number
}

const runners: [string, Runner][] = [
  [
    'node:test, viem and its assertions',
    {
      command: (network) => ['hardhat', 'test', 'nodejs', '--network', network],
      count: 11,
    },
  ],
  [
    'mocha, ethers and chai matchers',
    {
      command: (network) => {
        return ['hardhat', '--config', 'ethers.config.ts', 'test', 'mocha', '--network', network]
      },
      count: 6,
    },
  ],
  [
    'vitest, viem and its assertions',
    {
      command: (network) => {
        const reporters = ['tap-flat', 'dot'].flatMap((name) => ['--reporter', name])
        return ['vitest', 'run', '--mode', network, ...reporters]
      },
      count: 11,
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

interface Report {
  /** What is printed of the error before its stack. */
  readonly message: string
  /** Solidity frames, the innermost first. */
  readonly frames: readonly string[]
  /** All that is printed of the failure. */
  readonly text: string
}

/** What an output tells of a failed test, as mocha, Hardhat's reporter and vitest write it. */
function reportOf(output: string, name: string): Report {
  const heading = new RegExp(
    `^(?: +\\d+\\) Failing\\n +${name}:| FAIL .* > Failing > ${name})\\n([\\s\\S]*?)(?=\\n +\\d+\\) \\w+\\n| FAIL |⎯\\[\\d)`,
    'm',
  )
  const [, text = ''] = heading.exec(`${output}\n 0) End\n`) ?? []
  const lines = text.split('\n').map((line) => line.trim())
  const stack = lines.findIndex((line) => /^(?:at |❯ )/.test(line))
  const frames = [...text.matchAll(/(?:at |❯ | {2})(\S+) \(?(contracts\/\w+\.sol:\d+)/g)]
  return {
    message: lines.slice(0, stack).join('\n').trim(),
    frames: [...new Set(frames.map(([, where, line]) => `${where} ${line}`))],
    text,
  }
}

/** What viem makes of Hardhat's words for a reason that it knows in geth's. */
const UNKNOWN_TO_VIEM = /An unknown RPC error occurred\.([\s\S]*execution reverted: )(.*)/

/** As a reporter prints the failure that it prints so on Hardhat's own network. */
const expectedMessage = (message: string) =>
  inGethsWords(message).replace(UNKNOWN_TO_VIEM, 'Execution reverted with reason: $2.$1$2')

describe.each(runners)('%s', (_, { command, count }) => {
  let expected: ReadonlyMap<string, Report>

  async function run(network: string) {
    const { stdout, stderr } = await project.npx('.', ...command(network))
    const output = stdout + stderr
    const { passed, failed } = outcomes(stdout)
    return {
      output,
      passed,
      failed: failed.filter((name) => !(name in FAILING)),
      reports: new Map(Object.keys(FAILING).map((name) => [name, reportOf(output, name)])),
    }
  }

  beforeAll(async () => {
    const { passed, failed, reports, output } = await run('default')
    expect({ failed, passed: passed.length }, output).toEqual({ failed: [], passed: count })
    for (const [name, { message, frames }] of reports) {
      expect({ name, frames }, output).toEqual({ name, frames: FAILING[name] })
      expect(message, output).toMatch(/Error: /)
    }
    expected = reports
  })

  test.each(['instant', 'pending'])('on %s the same pass, and fail alike', async (network) => {
    const { passed, failed, reports, output } = await run(network)
    const excused = network === 'pending' && failed.length > 0 ? [COMPARES_BLOCKS] : []
    expect({ failed, passed: passed.length }, output).toEqual({
      failed: excused,
      passed: count - excused.length,
    })
    for (const [name, { message, frames, text }] of reports) {
      const judge = expected.get(name)
      expect(message).toBe(expectedMessage(judge?.message ?? ''))
      expect({ name, frames }).toEqual({ name, frames: judge?.frames })
      expect(text).toMatch(/\(?test\/\w+\/failing\.ts:\d+/)
      expect(text).not.toContain('pragma solidity')
    }
  })
})

test.each(['tsconfig.json', 'ethers.tsconfig.json'])('its types hold: %s', async (file) => {
  expect(await project.npx('.', 'tsc', '--project', file)).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  })
})
