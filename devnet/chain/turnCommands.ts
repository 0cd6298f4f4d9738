import type { BlockProducer } from './blockProducer.ts'
import type { ChainState } from './chainState.ts'
import { loadOrigin } from './loadOrigin.ts'
import type { Snapshots } from './snapshots.ts'
import type { Turn } from './turn.ts'

/** The commands of a turn that change what lies under the pending block, or around it. */
export function turnCommands(
  state: ChainState,
  producer: BlockProducer,
  snapshots: Snapshots,
): Omit<Turn, 'tick' | 'seal'> {
  return {
    async choose(choices) {
      Object.assign(state.next, choices)
      await producer.reopen()
    },
    async set(choices) {
      Object.assign(state.standing, choices)
      const { coinbase, gasLimit, chainId } = choices
      if (chainId !== undefined) state.engine.setChainId(chainId)
      const inBlock = [coinbase, gasLimit, chainId].some((choice) => choice !== undefined)
      if (inBlock) await producer.reopen()
      if ('timestampInterval' in choices) await producer.reschedule()
    },
    async reschedule({ always } = {}) {
      if (always === true) delete state.next.timestamp
      await producer.reschedule()
    },
    cheat: (makeDiff) => producer.reopen({ makeDiff }),
    drop: (hashes, reason) => producer.drop(hashes, reason),
    snapshot: (restoreClocks) => snapshots.take(restoreClocks),
    revert: (id) => snapshots.revert(id),
    async load(origin) {
      // At the start the chain is this one already.
      if (origin.history !== state.history) state.resets++
      await loadOrigin(origin, state, producer, snapshots)
    },
    reset(restoreClocks) {
      snapshots.reset(restoreClocks)
      state.resets++
    },
  }
}
