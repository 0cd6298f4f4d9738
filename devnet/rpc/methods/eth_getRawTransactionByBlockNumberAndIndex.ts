import { formatRawTransactionAt } from '../../json/formatTransaction.ts'
import { params } from '../../json/params.ts'
import { findNamedBlock } from '../../json/resolveBlock.ts'
import { blockNumberReference } from '../../json/schemas/blockReferenceSchema.ts'
import { quantity64 } from '../../json/schemas/numberSchemas.ts'
import { defineMethod } from '../method.ts'

/** EIP-2718 bytes, of a blob transaction without its sidecar. */
export default defineMethod({
  params: params(blockNumberReference(), quantity64()),
  handle: (context, [reference, index]) =>
    formatRawTransactionAt(findNamedBlock(context, reference), index),
})
