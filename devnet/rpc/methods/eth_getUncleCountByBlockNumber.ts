import { formatUncleCount } from '../../json/formatBlock.ts'
import { params } from '../../json/params.ts'
import { findBlock } from '../../json/resolveBlock.ts'
import { blockNumberReference } from '../../json/schemas/blockReferenceSchema.ts'
import { defineMethod } from '../method.ts'

/** Only imported blocks have uncles. */
export default defineMethod({
  params: params(blockNumberReference()),
  handle: (context, [reference]) => formatUncleCount(findBlock(context, reference)),
})
