import { formatTransactionAt } from '../format/transactionAt.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findNamedBlock } from '../resolveBlock.ts'
import { blockNumberReference } from '../schemas/blockReference.ts'
import { quantity64 } from '../schemas/quantity.ts'

export default defineMethod({
  params: params(blockNumberReference(), quantity64()),
  handle: (context, [reference, index]) =>
    formatTransactionAt(findNamedBlock(context, reference), index),
})
