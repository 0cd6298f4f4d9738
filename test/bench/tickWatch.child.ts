/**
 * A devnet in a process of its own, which watches its own ticks: started by tickWatch.ts with an IPC channel. It says
 * on which port it listens, begins to watch at `begin`, and at `end` answers with what it saw; `memory` asks for the
 * bytes in use.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createDevnet, type OptionsInput } from '../../devnet/index.ts'
import { ArtifactFolder } from '../../plugin/artifacts/artifact-folder.ts'
import type { Started, TickTimes } from './tickWatch.ts'

interface Watch {
  readonly begin: number
  /** `performance.now()` of one beat of the tick clock. */
  readonly beat: number
}

/** After which the memory in use changes no more. */
const COLLECTIONS = 4

const options: OptionsInput = JSON.parse(process.argv[2] ?? '{}')
const artifacts = process.argv[3]
const devnet = createDevnet({
  port: 0,
  keepAlive: true,
  ...options,
  ...(artifacts === undefined ? {} : { contracts: new ArtifactFolder(artifacts) }),
})
const interval = devnet.options.tickInterval
const published: number[] = []
const work: number[] = []
let watch: Watch | undefined
let longestTurn = 0
let cpuBegan = process.cpuUsage()
let turnBegan = process.threadCpuUsage()

devnet.on('tick', ({ elapsed }) => {
  published.push(performance.now())
  work.push(elapsed)
})

// A timer runs once in a turn. CPU time, because others may run on the same core.
setInterval(() => {
  const { user, system } = process.threadCpuUsage(turnBegan)
  longestTurn = Math.max(longestTurn, (user + system) / 1000)
  turnBegan = process.threadCpuUsage()
}, 1)

await devnet.start()

process.on('message', async (message) => {
  if (message === 'begin') watch = await beginning()
  if (message === 'end' && watch !== undefined) {
    const end = performance.now()
    const { user, system } = process.cpuUsage(cpuBegan)
    const cpu = (user + system) / 1000
    reply({ lateness: latenessOf(watch, end), gaps: gapsOf(watch, end), work, longestTurn, cpu })
  }
})
process.on('message', async (message) => {
  if (message !== 'memory') return
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  // One collection leaves what only finalizers release: tens of MB after the start.
  for (let times = 0; times < COLLECTIONS; times += 1) {
    collect()
    await nextTurn()
  }
  const { heapUsed, external } = process.memoryUsage()
  reply(heapUsed + external)
})
// The benchmark is over, or was killed.
process.on('disconnect', () => process.exit())
reply({ port: Number(new URL(devnet.url).port), dashboardUrl: devnet.dashboard.pageUrl })

function reply(message: Started | TickTimes | number): void {
  process.send?.(message)
}

/** Where the grid of the ticks lies: exact to the ms in which virtual time is told. */
async function beginning(): Promise<Watch> {
  const { time, ticks } = await devnet.clock.status()
  const begin = performance.now()
  if (ticks.next === null) throw new Error('The ticks are frozen')
  published.length = 0
  work.length = 0
  longestTurn = 0
  cpuBegan = process.cpuUsage()
  return { begin, beat: begin + ticks.next - time }
}

/** ms from each beat of the clock to the first view published after it, so that a tick left out counts as a late one. */
function latenessOf({ begin, beat }: Watch, end: number): readonly number[] {
  const result: number[] = []
  for (
    let due = beat + Math.ceil((begin - beat) / interval) * interval;
    due < end - interval;
    due += interval
  ) {
    // 1 ms: how exactly the grid is known.
    const first = published.find((time) => time >= due - 1)
    result.push(Math.max(0, (first ?? end) - due))
  }
  return result
}

/** ms without a new view; what lies at both ends is part of a longer time, which counts as far as it was seen. */
function gapsOf({ begin }: Watch, end: number): readonly number[] {
  const times = [begin, ...published, end]
  return times.slice(1).map((time, index) => time - (times[index] ?? time))
}
