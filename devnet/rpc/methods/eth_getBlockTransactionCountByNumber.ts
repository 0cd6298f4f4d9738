import { params } from '../../json/params.ts'
import { findBlock } from '../../json/resolveBlock.ts'
import { blockNumberReference } from '../../json/schemas/blockReferenceSchema.ts'
import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(blockNumberReference()),
  handle(context, [reference]) {
    const block = findBlock(context, reference)
    return block === undefined ? null : quantity(block.executed.length)
  },
})
