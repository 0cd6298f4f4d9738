import { formatTransactionAt } from '../../json/formatTransaction.ts'
import { params } from '../../json/params.ts'
import { findByHash } from '../../json/resolveBlock.ts'
import { hash32 } from '../../json/schemas/hexSchemas.ts'
import { quantity64 } from '../../json/schemas/numberSchemas.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(hash32(), quantity64()),
  handle: ({ chain }, [hash, index]) => formatTransactionAt(findByHash(chain, hash), index),
})
