import { formatBlockHeader } from '../format/block.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findBlock } from '../resolveBlock.ts'
import { blockNumberReference } from '../schemas/blockReference.ts'

export default defineMethod({
  params: params(blockNumberReference()),
  handle(context, [reference]) {
    const block = findBlock(context, reference)
    return block === undefined ? null : formatBlockHeader(block)
  },
})
