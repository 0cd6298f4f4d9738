import { formatUncleAt } from '../../json/formatBlock.ts'
import { params } from '../../json/params.ts'
import { findBlock } from '../../json/resolveBlock.ts'
import { blockNumberReference } from '../../json/schemas/blockReferenceSchema.ts'
import { quantity64 } from '../../json/schemas/numberSchemas.ts'
import { defineMethod } from '../method.ts'

/** Only imported blocks have uncles. */
export default defineMethod({
  params: params(blockNumberReference(), quantity64()),
  handle: (context, [reference, index]) => formatUncleAt(findBlock(context, reference), index),
})
