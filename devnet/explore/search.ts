import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PLACES } from '../faults/faultPlaces.ts'
import type { FaultScript } from '../faults/types.ts'
import { readScript } from '../node/nodeFaults.ts'
import { InvalidParamsError, RefusedError, reasonOf } from '../primitives/errors.ts'
import { Random } from '../primitives/random.ts'
import { SerialQueue } from '../primitives/serialQueue.ts'
import { ExploreError } from './exploreError.ts'
import { inWords } from './inWords.ts'
import { type NodeSource, openNodes } from './openNodes.ts'
import { playRun } from './playRun.ts'
import type { RunOutcome, Schedule } from './runOutcome.ts'
import { placesOf } from './runPlaces.ts'
import type { Explore, ExploreOptions, ExploreSummary } from './types.ts'
import { isOfOtherRun, realTime } from './virtualTimers.ts'

type Test = Parameters<Explore>[0]

/** One run at a time in a process: it replaces the timers. */
const runs = new SerialQueue()

/**
 * Runs a test without faults, then under every schedule of faults, fewest first.
 *
 * @throws {ExploreError} with the first schedule under which it fails
 * @throws {InvalidParamsError} if an option is out of range
 */
export async function search(test: Test, options: ExploreOptions): Promise<ExploreSummary> {
  if (isOfOtherRun()) {
    throw new RefusedError('explore within explore: call it outside of the test that it plays')
  }
  const { depth = 2, maxRuns = 1000, time = 60_000, maxTicks = 300 } = options
  for (const [name, value] of Object.entries({ depth, maxRuns, time, maxTicks })) {
    if (Number.isInteger(value) && value >= 1) continue
    throw new InvalidParamsError(`explore: ${name}: want an integer of at least 1`)
  }
  const groups: readonly string[] = Object.values(PLACES)
  if (options.faults?.some((group) => !groups.includes(group)) === true) {
    throw new InvalidParamsError(`explore: faults: want some of ${[...new Set(groups)].join(', ')}`)
  }
  const nodes = await openNodes(options.from)
  try {
    return await new Search(test, { ...options, depth, maxRuns, time, maxTicks }, nodes).run()
  } finally {
    await nodes.close()
  }
}

type Resolved = ExploreOptions & {
  readonly [Name in 'depth' | 'maxRuns' | 'time' | 'maxTicks']: number
}

class Search {
  readonly #test: Test
  readonly #options: Resolved
  readonly #nodes: NodeSource
  readonly #deadline: number
  readonly #onProgress: (summary: ExploreSummary) => void
  /** By key. */
  readonly #known = new Set<string>()
  #wantsStream = false
  #summary = { places: 0, runs: 0, tried: 0, known: 0, alike: 0, complete: false }

  constructor(test: Test, options: Resolved, nodes: NodeSource) {
    this.#test = test
    this.#options = options
    this.#nodes = nodes
    this.#onProgress = options.onProgress ?? progressLine()
    this.#deadline = realTime.now() + options.time
  }

  async run(): Promise<ExploreSummary> {
    const { depth, maxRuns, replay, seed = 1 } = this.#options
    if (replay !== undefined) {
      const { isCut } = await this.#play({ seed, ...(await readScript(replay)) })
      return this.#tell({ tried: 1, known: 1, complete: !isCut })
    }
    const first = await this.#play({ rules: [], seed })
    const seen = new Set([first.seen])
    let level = this.#extended([], first)
    this.#tell({ places: this.#places(first).length })
    if (first.isCut) return this.#summary
    const random = new Random(seed)
    for (let faults = 1; faults <= depth; faults++) {
      const next: Schedule[] = []
      for (const rules of level) {
        if (this.#summary.runs >= maxRuns) return this.#summary
        const outcome = await this.#play({ rules, seed })
        if (outcome.isCut) return this.#summary
        const { tried, known, alike } = this.#summary
        if (!haveFired(rules, outcome)) {
          this.#tell({ known: known - 1 })
          continue
        }
        const isAlike = outcome.seen !== undefined && seen.has(outcome.seen)
        seen.add(outcome.seen)
        this.#tell({ tried: tried + 1, alike: alike + (isAlike ? 1 : 0) })
        if (!isAlike && faults < depth) next.push(...this.#extended(rules, outcome))
      }
      // In random order: a search that ends early has then tried faults of all kinds.
      level = shuffled(next, random)
    }
    return this.#tell({ complete: true })
  }

  /** The schedules with one more fault, at a place that the run came to after its last one. */
  #extended(rules: Schedule, outcome: RunOutcome): Schedule[] {
    const last = outcome.log.findLastIndex(
      (one) => one.kind === 'fault' && one.fault.rule === rules.length - 1,
    )
    const more = this.#places(outcome)
      .filter(({ at }) => at > last)
      .flatMap((place) => place.rules.map((rule) => [...rules, rule]))
      .filter((schedule) => !this.#known.has(scheduleKey(schedule)))
    for (const schedule of more) this.#known.add(scheduleKey(schedule))
    this.#tell({ known: this.#summary.known + more.length })
    return more
  }

  #places({ log, options }: RunOutcome) {
    return placesOf(log, this.#options.faults ?? ['blocks'], options)
  }

  /** @throws {ExploreError} if the test fails */
  async #play(script: FaultScript): Promise<RunOutcome> {
    const isFirst = this.#summary.runs === 0
    const wantsStream = this.#wantsStream
    const outcome = await runs.run(() =>
      playRun({
        start: this.#nodes.start,
        open: async () => {
          const devnet = await this.#nodes.open(wantsStream)
          if (script.rules.length > 0) await devnet.faults(script)
          return devnet
        },
        test: this.#test,
        isFirst,
        maxTicks: this.#options.maxTicks,
        deadline: this.#deadline,
      }),
    )
    this.#wantsStream ||= outcome.wantsStream && this.#options.from === undefined
    if (this.#wantsStream !== wantsStream) return await this.#play(script)
    this.#tell({ runs: this.#summary.runs + 1 })
    const { failure } = outcome
    if (failure === undefined) return outcome
    // A first run may hang because it loaded modules while its clock ran on: play it again.
    if (failure.isHang && isFirst) return await this.#play(script)
    const { cause } = failure
    const message = reasonOf(cause)
    const schedule = inWords(script.rules, outcome)
    if (schedule === '') {
      throw new ExploreError(`The test fails without a fault: ${message}`, { cause })
    }
    const file = this.#options.replay ?? (await saved(script))
    throw new ExploreError(
      `The test fails if ${schedule}: ${message}\nThe option replay of explore, or --faults of a node, plays that again from ${file}`,
      { cause, schedule, script, file },
    )
  }

  #tell(news: Partial<ExploreSummary>): ExploreSummary {
    this.#summary = { ...this.#summary, ...news }
    this.#onProgress(this.#summary)
    return this.#summary
  }
}

function haveFired(rules: Schedule, { log }: RunOutcome): boolean {
  const fired = new Set(log.map((one) => (one.kind === 'fault' ? one.fault.rule : -1)))
  return rules.every((_, index) => fired.has(index))
}

/** A key of a schedule that does not depend on the order of its rules. */
function scheduleKey(schedule: Schedule): string {
  const rules = schedule.map((rule) => JSON.stringify(rule))
  return rules.toSorted().join()
}

function shuffled(schedules: readonly Schedule[], random: Random): Schedule[] {
  const ranked = schedules.map((schedule) => ({ schedule, rank: random.below(2 ** 32) }))
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ schedule }) => schedule)
}

/**
 * Saves a script in `node_modules/.cache/hardhat-pending-node` of the working directory, or in the
 * folder for temporary files if that has no `node_modules`. Equal scripts have one file.
 *
 * @returns its path
 */
async function saved(script: FaultScript): Promise<string> {
  const text = `${JSON.stringify(script, null, 2)}\n`
  const modules = join(process.cwd(), 'node_modules')
  const cache = existsSync(modules) ? join(modules, '.cache') : tmpdir()
  const folder = join(cache, 'hardhat-pending-node')
  await mkdir(folder, { recursive: true })
  const name = createHash('sha256').update(text).digest('hex').slice(0, 12)
  const path = join(folder, `explore-${name}.json`)
  await writeFile(path, text)
  return path
}

/** Writes a line about each summary over the last one, if stderr is a terminal. */
function progressLine(): (summary: ExploreSummary) => void {
  const { stderr } = process
  if (!stderr.isTTY) return () => undefined
  return ({ tried, known, places, complete }) => {
    const line = `explore: ${tried} of ${known} schedules, ${places} places`
    stderr.write(`\r\x1b[K${line}${complete ? '\n' : ''}`)
  }
}
