import { formatUncleAt } from '../format/uncle.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findBlock } from '../resolveBlock.ts'
import { blockNumberReference } from '../schemas/blockReference.ts'
import { quantity64 } from '../schemas/quantity.ts'

/** Only imported blocks have uncles. */
export default defineMethod({
  params: params(blockNumberReference(), quantity64()),
  handle: (context, [reference, index]) => formatUncleAt(findBlock(context, reference), index),
})
