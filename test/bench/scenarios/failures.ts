import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Measurement, Scenario } from '../scenario.ts'
import { median } from '../statistics.ts'
import { makeMarket } from './suites.ts'

const run = promisify(execFile)

/** Prints the ms of each call, on a network of its own, of a process of its own. */
const script = `import { network } from 'hardhat'
import { encodeFunctionData } from 'viem'

const [name] = process.argv.slice(2)

async function connect(override) {
  const { viem, provider } = await network.create({ network: name, override })
  const { address: to, abi } = await viem.deployContract('Token', [1_000_000n])
  const [from] = await provider.request({ method: 'eth_accounts' })
  return async (functionName, method = 'eth_call') => {
    const request = { from, to, data: encodeFunctionData({ abi, functionName }) }
    const params = method === 'eth_call' ? [request, 'pending'] : [request]
    const begin = performance.now()
    await provider.request({ method, params }).catch(() => undefined)
    return performance.now() - begin
  }
}

const call = await connect()
const plain = name === 'default' ? call : await connect({ stackTraces: false })
const times = { failures: [], sends: [], successes: [], plain: [] }
for (let index = 0; index < 40; index++) times.failures.push(await call('buy'))
for (let index = 0; index < 40; index++) times.sends.push(await call('buy', 'eth_sendTransaction'))
// So that both chains are as long.
for (let index = 0; index < 40; index++) await plain('buy', 'eth_sendTransaction')
for (let index = 0; index < 800; index++) {
  if (index % 2 === 0) times.successes.push(await call('totalSupply'))
  times.plain.push(await plain('totalSupply'))
  if (index % 2 === 1) times.successes.push(await call('totalSupply'))
}
console.log(JSON.stringify(times))
process.exit()
`

interface Times {
  readonly failures: readonly number[]
  readonly sends: readonly number[]
  readonly successes: readonly number[]
  /** Successes with `stackTraces: false`. */
  readonly plain: readonly number[]
}

/** What it takes to tell where in Solidity a call failed. */
export const failures: Scenario = {
  name: 'failures',
  about:
    "calls and sends of the plugin's networks that revert, which are explained, and calls that succeed; beside Hardhat's own network",
  peers: ['ours'],
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), 'pending-node-bench-'))
    try {
      await makeMarket(folder)
      writeFileSync(join(folder, 'failures.js'), script)
      const timesOn = async (network: string): Promise<Times> => {
        const { stdout } = await run(process.execPath, ['failures.js', network], { cwd: folder })
        return JSON.parse(stdout)
      }
      const instant = await timesOn('instant')
      const pending = await timesOn('pending')
      const own = await timesOn('default')
      const later = (times: readonly number[]) => median(times.slice(1))
      return [
        milliseconds('the first failure of a process', instant.failures[0] ?? 0),
        milliseconds('a call on instant, from the second on', later(instant.failures)),
        milliseconds('a call on pending, from the second on', later(pending.failures)),
        milliseconds('a send on instant, from the second on', later(instant.sends)),
        milliseconds('a send on pending, from the second on', later(pending.sends)),
        milliseconds("a call on Hardhat's own network", later(own.failures)),
        milliseconds("a send on Hardhat's own network", later(own.sends)),
        {
          metric: 'a success, explanations on / off',
          unit: '×',
          better: 'lower',
          value: median(instant.successes) / median(instant.plain),
        },
      ]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

function milliseconds(metric: string, value: number): Measurement {
  return { metric, unit: 'ms', better: 'lower', value }
}
