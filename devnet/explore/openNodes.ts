import { Branch } from '../node/branches.ts'
import { DevnetNode } from '../node/node.ts'
import { type OptionsInput, resolveOptions } from '../options/options.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import type { Devnet } from '../types.ts'

/** s since the epoch at which each run on a new node begins. */
const START = 1_767_225_600

/** A node of a run. */
export type RunNode = DevnetNode | Branch

/** Nodes of runs: equal ones, whose clocks run. */
export interface NodeSource {
  /** Virtual time at which each begins, ms since the epoch. */
  readonly start: number
  /**
   * Opens one. To be called in the virtual time of its run.
   *
   * @param hasStream - whether it has a flashblock stream, which branches lack
   */
  open(hasStream: boolean): Promise<RunNode>
  close(): Promise<void>
}

/**
 * Branches of a devnet as it is now.
 *
 * @param from - Default: a new one
 */
export async function openNodes(from?: Devnet): Promise<NodeSource> {
  const fresh = from === undefined ? await newNode({ frozenTicks: true }) : undefined
  // A branch: `from` may change during the search, but all runs must start from the same state.
  const base = await (fresh ?? from)?.branch()
  if (!(base instanceof Branch)) throw new InvalidParamsError('explore: from: want a devnet')
  const { time } = await base.clock.freeze({ ticks: true })
  return {
    start: time,
    async open(hasStream) {
      if (hasStream) return await newNode()
      const branch = await base.branch()
      await branch.clock.resume()
      return branch
    },
    async close() {
      await base.stop()
      await fresh?.stop()
    },
  }
}

async function newNode(options: OptionsInput = {}): Promise<DevnetNode> {
  const own = { port: 0, noWallet: true, noDashboard: true, timestamp: START }
  const devnet = new DevnetNode(resolveOptions({ ...own, ...options }))
  await devnet.start()
  return devnet
}
