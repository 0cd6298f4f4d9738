import type { Devnet } from '../devnet/index.ts'
import {
  type ExploreContext,
  ExploreError,
  type ExploreOptions,
  type ExploreSummary,
  type FaultGroup,
  loadExplore,
} from '../devnet/pluginApi.ts'
import type { PendingNode } from './types.ts'

export type { FaultGroup }
export { type ExploreContext, ExploreError, type ExploreOptions, type ExploreSummary }

/** A devnet, or a connection of Hardhat to a node in this process. */
export type ExploredChain = Devnet | { readonly pendingNode: PendingNode }

/**
 * Argument of a test. During a run, the requests of a connection that runs begin with, and those of
 * its clients, go to the run.
 */
export type ContextOf<From extends ExploredChain> = From extends Devnet
  ? ExploreContext
  : { readonly connection: From } & Pick<ExploreContext, 'provider'>

/** The options of {@link explore}, with the chain of which each run has a branch. */
export type OptionsOf<From extends ExploredChain> = Omit<ExploreOptions, 'from'> & {
  readonly from?: From | undefined
}

/**
 * Runs a test under every way in which the network could act: once without faults, then with each
 * single fault at each place that this run came to, then with two, up to `depth`. Each run has a
 * node of its own, and virtual time: `setTimeout`, `setInterval` and `Date` of the test and of its
 * clients go by the chain's clock, which moves on when all requests are answered. Those that a
 * module has taken before stay real, such as `promisify(setTimeout)` and what `vi.waitFor` uses.
 *
 * A transaction of the test may be dropped as well as one of the app. What is to be there in each
 * run belongs to the option `from`: a devnet or a connection of Hardhat, of whose chain each run
 * gets a branch.
 *
 * @returns how much was tried, if the test passes each time; the end of `maxRuns` or `time` is no
 *   failure
 * @throws {ExploreError} with the first schedule under which the test fails, which has the fewest
 *   faults. `cause` is what the test has thrown, `file` a `--faults` file that replays it
 * @throws {DevnetError} if an option is malformed
 *
 * @example
 * await explore(async ({ devnet, provider }) => {
 *   const app = openApp(provider)
 *   await app.pay()
 *   assert.equal(await balanceOfShop(devnet.provider), 1n)
 * })
 */
export async function explore<From extends ExploredChain = Devnet>(
  given: (context: ContextOf<From>) => unknown,
  { from, ...options }: OptionsOf<From> = {},
): Promise<ExploreSummary> {
  const search = await loadExplore()
  // It gets the context that goes with `from`.
  const test = given as (context: object) => unknown
  if (from === undefined || !('pendingNode' in from)) return search(test, { ...options, from })
  const { pendingNode } = from
  const { ConnectionControls } = await import('./network/connection-controls.ts')
  if (!(pendingNode instanceof ConnectionControls)) {
    throw new TypeError('explore: from: want a devnet, or a connection of Hardhat')
  }
  let lent: Devnet | undefined
  const play = ({ devnet, provider }: ExploreContext) => {
    lent = devnet
    pendingNode.lend(devnet)
    return test({ connection: from, provider })
  }
  try {
    return await search(play, { ...options, from: pendingNode.own })
  } finally {
    // Another search may ask through the connection at the same time.
    pendingNode.lend(undefined, lent)
  }
}
