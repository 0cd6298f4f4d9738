import { formatRawTransactionAt } from '../format/transactionAt.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findNamedBlock } from '../resolveBlock.ts'
import { blockNumberReference } from '../schemas/blockReference.ts'
import { quantity64 } from '../schemas/quantity.ts'

/** EIP-2718 bytes, of a blob transaction without its sidecar. */
export default defineMethod({
  params: params(blockNumberReference(), quantity64()),
  handle: (context, [reference, index]) =>
    formatRawTransactionAt(findNamedBlock(context, reference), index),
})
