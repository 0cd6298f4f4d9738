import { pendingHeader } from '../../chain/building/pendingView.ts'
import { isPending } from '../../json/blockRef.ts'
import { blockReference, params } from '../../json/params.ts'
import { toHex } from '../../primitives/hex.ts'
import { EMPTY_BODY, encodeBlock } from '../../protocol/block.ts'
import { defineMethod } from '../method.ts'
import { encodableBlock } from '../queries/debugBlock.ts'

/** The block as RLP. The pending block has 32 zero bytes as its state root. */
export default defineMethod({
  params: params(blockReference()),
  remote: 'block',
  handle(context, [reference]) {
    const block = encodableBlock(context, reference)
    if (!isPending(block)) return toHex(encodeBlock(block))
    const { executed } = block
    return toHex(encodeBlock({ header: pendingHeader(block), executed, ...EMPTY_BODY }))
  },
})
