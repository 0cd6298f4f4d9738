import type { Overlay } from '../state/overlay.ts'
import type { StateTrie } from '../state/stateTrie.ts'
import type { StateDiff, StateReader } from '../state/types.ts'
import { mergeDiffs } from './diffs.ts'

/** State roots after each transaction of a block, as receipts had them before Byzantium. */
export class IntermediateRoots {
  #trie: StateTrie

  /**
   * @param parent - of the block before
   * @param diffs - changes since then, in order
   * @param state - with these changes
   */
  constructor(parent: StateTrie, diffs: readonly StateDiff[], state: StateReader) {
    this.#trie = diffs.length === 0 ? parent : parent.apply(mergeDiffs(diffs), state)
  }

  /** 32 bytes. @param overlay - with the changes of all transactions so far */
  after(overlay: Overlay): Uint8Array {
    // All of them once more: nodes that stay the same keep their hashes.
    this.#trie = this.#trie.apply(overlay.shallowCopy().takeDiff(), overlay)
    return this.#trie.root()
  }
}
