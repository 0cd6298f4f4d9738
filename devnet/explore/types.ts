import type { Devnet, Provider } from '../types.ts'

/**
 * Groups of faults: `blocks` act on transactions, ticks and seals, `answers` on those to the app's
 * provider, `stream` on messages of the flashblock stream, `sockets` on WebSockets.
 */
export type FaultGroup = 'blocks' | 'answers' | 'stream' | 'sockets'

/** Argument of the test, in each run. */
export interface ExploreContext {
  /** The node of the run. Requests of its own `provider` are the test's: no fault acts on them. */
  readonly devnet: Devnet
  /** A provider for the app under test, of the same node. Faults of `answers` act on it. */
  readonly provider: Provider
}

export interface ExploreOptions {
  /** Most faults of a schedule, at least 1. Default: 2 */
  readonly depth?: number | undefined
  /** Number of runs after which it ends, the one without faults included. Default: 1000 */
  readonly maxRuns?: number | undefined
  /** ms of real time after which it ends. Default: 60,000 */
  readonly time?: number | undefined
  /** Default: `['blocks']` */
  readonly faults?: readonly FaultGroup[] | undefined
  /**
   * Seed of the random choices of faults, and of the order of schedules with two or more faults: 0
   * to 2^32 - 1. Default: 1
   */
  readonly seed?: number | undefined
  /** Number of tick intervals after which a run that has not ended hangs. Default: 300 */
  readonly maxTicks?: number | undefined
  /** Each run has a branch of it, as it is when the search begins. Default: a new devnet */
  readonly from?: Devnet | undefined
  /** Path of a file that a failure has saved: its schedule is the only one. Default: all are */
  readonly replay?: string | undefined
  /** Called after each run. Default: writes a line to stderr, if that is a terminal */
  readonly onProgress?: ((summary: ExploreSummary) => void) | undefined
}

/** Plays a test under schedules of faults. */
export type Explore = (
  test: (context: ExploreContext) => unknown,
  options: ExploreOptions,
) => Promise<ExploreSummary>

/** Extent of a search. */
export interface ExploreSummary {
  /** Places in the run without faults at which a fault could act: transactions, ticks, seals, … */
  readonly places: number
  /** Number of runs, the one without faults included. */
  readonly runs: number
  /** Number of schedules that were tried, each of at least one fault that has fired. */
  readonly tried: number
  /** Number of those that are known: pairs come to light as single faults are tried. */
  readonly known: number
  /** Schedules after which the app saw the same as before. They are not extended. */
  readonly alike: number
  /** True if every schedule up to the depth was tried. */
  readonly complete: boolean
}
