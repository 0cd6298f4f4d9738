import { EMPTY_BODY, encodeBlock } from '../../chain/block.ts'
import { toHex } from '../../chain/bytes.ts'
import { debugBlock } from '../debugBlock.ts'
import { pendingHeader } from '../format/block.ts'
import { isPending } from '../format/place.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { blockReference } from '../schemas/blockReference.ts'

/** RLP; of the pending block with 32 zero bytes as its state root. */
export default defineMethod({
  params: params(blockReference()),
  handle(context, [reference]) {
    const block = debugBlock(context, reference)
    if (!isPending(block)) return toHex(encodeBlock(block))
    const { executed } = block
    return toHex(encodeBlock({ header: pendingHeader(block), executed, ...EMPTY_BODY }))
  },
})
