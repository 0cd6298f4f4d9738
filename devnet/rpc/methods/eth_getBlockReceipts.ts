import { placeOf } from '../format/place.ts'
import { formatReceipt } from '../format/receipt.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findBlock } from '../resolveBlock.ts'
import { blockReference } from '../schemas/blockReference.ts'

export default defineMethod({
  params: params(blockReference()),
  handle(context, [reference]) {
    const block = findBlock(context, reference)
    if (block === undefined) return null
    const place = placeOf(block)
    return block.executed.map((executed) => formatReceipt(executed, place))
  },
})
