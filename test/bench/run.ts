/**
 * Measures this node beside `hardhat node` and anvil, each in a process of its own and never two under load at once:
 *
 *     npm run build && npm run bench
 *     npm run bench -- --only chainId,start --peers ours,hardhat --rounds 5 --json results.json
 *     npm run bench -- --only soak --minutes 60
 *
 * `--only` takes names of test/bench/scenarios.ts, `--peers` of ours, anvil, hardhat. Prints one table, then which bars are met,
 * and writes all numbers to `--json` (default: bench-results.json). Needs an idle machine with two cores or more: one for the node, one
 * for this process, which sends the load. A whole run takes about 40 minutes.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { constants, cpus } from 'node:os'
import { join } from 'node:path'
import { readArguments } from './arguments.ts'
import { barLines } from './bars.ts'
import { killAll } from './ownProcesses.ts'
import type { PeerName } from './peers.ts'
import { removeProject, root } from './project.ts'
import { type ScenarioResult, summarize } from './results.ts'
import { defaultRounds, type Measurement, type Scenario } from './scenario.ts'
import { table } from './table.ts'

process.on('exit', () => {
  killAll()
  removeProject()
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]))
}

const options = readArguments(process.argv.slice(2))
if (options.peers.some(({ name }) => name === 'ours') && !existsSync(join(root, 'dist/plugin'))) {
  throw new Error('There is no dist/: run `npm run build` first.')
}

const results: ScenarioResult[] = []
for (const scenario of options.scenarios) {
  results.push(await measured(scenario))
  write()
}
console.log(table(results, options.peers))
for (const line of barLines(results)) console.log(line)

/** Round by round, all peers in each, so that a disturbance of the machine meets all of them alike. */
async function measured(scenario: Scenario): Promise<ScenarioResult> {
  const rounds = options.rounds ?? scenario.rounds ?? defaultRounds
  const peers = options.peers.filter(({ name }) => scenario.peers?.includes(name) ?? true)
  const all = new Map<PeerName, Measurement[]>(peers.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const peer of peers) {
      console.error(`${scenario.name}: round ${round} of ${rounds}, ${peer.name}`)
      try {
        all.get(peer.name)?.push(...(await scenario.measure(peer, options.minutes)))
      } catch (error) {
        // The other numbers of a long run are still worth having.
        console.error(`${scenario.name} failed with ${peer.name}:`, error)
        process.exitCode = 1
      }
    }
  }
  return summarize(scenario, all)
}

/** After every scenario, so that an interrupted run leaves what it had. */
function write(): void {
  const machine = {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model,
    cores: cpus().length,
  }
  const versions = Object.fromEntries(options.peers.map(({ name, version }) => [name, version]))
  const report = { date: new Date().toISOString(), machine, versions, results }
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
}
