import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { root } from '../project.ts'
import type { Measurement, Scenario } from '../scenario.ts'

const run = promisify(execFile)

/** An ordinary team's project; its suite has eleven tests. */
const market = join(root, 'test/full/market')
const TESTS = 11

/** How often the suite runs in one process, each time on networks of its own. */
const FILES = 8

const config = `import { fileURLToPath } from 'node:url'
import ignition from '@nomicfoundation/hardhat-ignition-viem'
import networkHelpers from '@nomicfoundation/hardhat-network-helpers'
import viem from '@nomicfoundation/hardhat-viem'
import assertions from '@nomicfoundation/hardhat-viem-assertions'
import pendingNode from ${JSON.stringify(pathToFileURL(join(root, 'dist/plugin/index.js')).href)}
export default {
  plugins: [viem, assertions, networkHelpers, ignition, pendingNode],
  solidity: { version: '0.8.37', path: fileURLToPath(import.meta.resolve('solc/soljson.js')) },
}
`

const empty = `import { it } from 'node:test'
import 'hardhat'
it('does nothing', () => {})
`

const own = "Hardhat's own network"

let rounds = 0

/** What a suite that knows nothing of the plugin pays for running on it. */
export const suites: Scenario = {
  name: 'suites',
  about:
    "88 tests with viem, fixtures, Ignition and assertions in one process, on the plugin's network " +
    '"instant" and on Hardhat\'s own, which runs in native code',
  peers: ['ours'],
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), 'pending-node-bench-'))
    try {
      await makeSuites(folder)
      const nothing = await timeOf(folder, 'default', 'empty', 1)
      const times = new Map<string, number>()
      // In turn the one and the other first, so that neither always finds the caches warm.
      const order = rounds++ % 2 === 0 ? ['default', 'instant'] : ['instant', 'default']
      for (const network of order) {
        times.set(network, await timeOf(folder, network, 'market*', FILES * TESTS))
      }
      const [instant = 0, theirs = 0] = [times.get('instant'), times.get('default')]
      return [
        milliseconds('instant', instant),
        milliseconds(own, theirs),
        milliseconds('an empty suite', nothing),
        {
          metric: `instant / ${own}, less an empty suite`,
          unit: '×',
          better: 'lower',
          value: (instant - nothing) / (theirs - nothing),
        },
      ]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Makes the team's project in an empty folder, with the plugin as it is built, and compiles it. */
export async function makeMarket(folder: string): Promise<void> {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  for (const name of ['contracts', 'ignition', 'package.json']) {
    cpSync(join(market, name), join(folder, name), { recursive: true })
  }
  writeFileSync(join(folder, 'hardhat.config.js'), config)
  const hardhat = join(root, 'node_modules/hardhat/dist/src/cli.js')
  await run(process.execPath, [hardhat, 'build'], { cwd: folder })
}

async function makeSuites(folder: string): Promise<void> {
  await makeMarket(folder)
  for (let index = 0; index < FILES; index++) {
    cpSync(join(market, 'test/viem/market.ts'), join(folder, `test/viem/market${index}.ts`))
  }
  writeFileSync(join(folder, 'test/viem/empty.ts'), empty)
}

/** ms that the tests take. @throws {Error} unless as many as expected pass, and no others are there */
async function timeOf(
  cwd: string,
  network: string,
  files: string,
  expected: number,
): Promise<number> {
  const args = ['--test', '--test-isolation=none', '--test-reporter=tap', `test/viem/${files}.ts`]
  const begin = performance.now()
  const { stdout } = await run(process.execPath, args, {
    cwd,
    env: { ...process.env, HARDHAT_NETWORK: network, NODE_OPTIONS: '' },
    maxBuffer: 64 * 1024 * 1024,
  })
  const time = performance.now() - begin
  const [passed, all] = [/^# pass (\d+)$/m, /^# tests (\d+)$/m].map((line) =>
    Number(line.exec(stdout)?.[1]),
  )
  if (passed !== expected || all !== expected) {
    throw new Error(`${passed} of ${all} tests pass on ${network}, and not ${expected}`)
  }
  return time
}

function milliseconds(metric: string, value: number): Measurement {
  return { metric, unit: 'ms', better: 'lower', value }
}
