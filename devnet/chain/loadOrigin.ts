import type { BlockProducer } from './blockProducer.ts'
import type { ChainState } from './chainState.ts'
import type { ChainOrigin } from './origin.ts'
import type { Snapshots } from './snapshots.ts'

/**
 * Puts another chain in the place of the present one. Readers see either the one or the other; what was pre-confirmed
 * when it was saved is executed again after that.
 */
export async function loadOrigin(
  { store, history, saved }: ChainOrigin,
  state: ChainState,
  producer: BlockProducer,
  snapshots: Snapshots,
): Promise<void> {
  const { head } = history
  // Where the chain was opened already, the block that was opened over it.
  store.abandon(head.version)
  state.store = store
  state.history = history
  state.firstHead = saved?.firstHead ?? head.number
  state.cheatDiffs = [...(saved?.cheatDiffs ?? [])]
  state.next = { ...saved?.next }
  Object.assign(state.standing, saved?.standing ?? { gasLimit: head.header.gasLimit })
  state.engine.setChainId(state.standing.chainId)
  state.dropped = []
  snapshots.restart()
  // Published before the first pause: from then on nothing of the chain before is there.
  const resumed = producer.resume(saved?.pending)
  state.mempool.restore([])
  await resumed
  const left = state.mempool.transactions()
  state.mempool.restore([])
  const dead = state.mempool.putBack([...left, ...(saved?.mempool ?? [])])
  for (const { transaction, reason } of dead) state.drop(transaction.hash, reason)
}
