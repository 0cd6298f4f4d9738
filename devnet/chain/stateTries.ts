import type { StateTrie } from '../state/stateTrie.ts'
import type { SealedBlock } from './block.ts'
import type { ChainState } from './chainState.ts'
import { mergeDiffs } from './diffs.ts'
import type { PendingView } from './pendingView.ts'

const pendingTries = new WeakMap<PendingView, StateTrie>()

/**
 * The tries of the state after a block, with the cheats on it. Those of the pending view are of the state after its last
 * pre-confirmed transaction: what sealing adds at the end of a block is not in them.
 *
 * @param block - one that is kept, or the present pending view
 */
export function trieOf(block: SealedBlock | PendingView, state: ChainState): StateTrie {
  if ('environment' in block) return pendingTrie(block, state)
  const { cheatDiffs, history, store } = state
  if (block !== history.head || cheatDiffs.length === 0) return block.trie
  return block.trie.apply(mergeDiffs(cheatDiffs), store.view(block.version))
}

function pendingTrie(view: PendingView, state: ChainState): StateTrie {
  let trie = pendingTries.get(view)
  if (trie === undefined) {
    if (view !== state.pending) throw new Error('Only the present pending view has a trie')
    const { parent } = view.environment
    const diffs = state.pendingDiffs
    trie = diffs.length === 0 ? parent.trie : parent.trie.apply(mergeDiffs(diffs), view.state)
    pendingTries.set(view, trie)
  }
  return trie
}
