import { formatBlock } from '../format/block.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findBlock } from '../resolveBlock.ts'
import { blockNumberReference } from '../schemas/blockReference.ts'
import { flag } from '../schemas/plain.ts'

export default defineMethod({
  params: params(blockNumberReference(), flag().optional()),
  handle(context, [reference, fullTransactions = false]) {
    const block = findBlock(context, reference)
    return block === undefined ? null : formatBlock(block, fullTransactions)
  },
})
