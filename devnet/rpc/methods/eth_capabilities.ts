import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/** The range of blocks that the node has data for: those that `--keep-blocks` keeps. */
export default defineMethod({
  handle({ chain, fork, options }) {
    const { head, history } = chain
    const kept = {
      disabled: false,
      oldestBlock: quantity(history.oldest),
      ...(options.keepBlocks === 0
        ? undefined
        : { deleteStrategy: { type: 'window', retentionBlocks: quantity(options.keepBlocks) } }),
    }
    return {
      head: { number: quantity(head.number), hash: head.hash },
      state: kept,
      tx: kept,
      logs: kept,
      receipts: kept,
      blocks: kept,
      // The state roots of a forked chain's own blocks prove nothing.
      stateproofs: fork.border === undefined ? kept : { disabled: true },
    }
  },
})
