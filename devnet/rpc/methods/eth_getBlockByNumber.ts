import { formatBlock } from '../../json/formatBlock.ts'
import { params } from '../../json/params.ts'
import { findBlock } from '../../json/resolveBlock.ts'
import { blockNumberReference } from '../../json/schemas/blockReferenceSchema.ts'
import { flag } from '../../json/schemas/numberSchemas.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(blockNumberReference(), flag().optional()),
  handle(context, [reference, fullTransactions = false]) {
    const block = findBlock(context, reference)
    return block === undefined ? null : formatBlock(block, fullTransactions)
  },
})
