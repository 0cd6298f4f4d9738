import { formatUncleCount } from '../format/uncle.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findBlock } from '../resolveBlock.ts'
import { blockNumberReference } from '../schemas/blockReference.ts'

/** Only imported blocks have uncles. */
export default defineMethod({
  params: params(blockNumberReference()),
  handle: (context, [reference]) => formatUncleCount(findBlock(context, reference)),
})
