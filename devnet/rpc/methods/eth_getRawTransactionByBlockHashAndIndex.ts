import { formatRawTransactionAt } from '../format/transactionAt.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findByHash } from '../resolveBlock.ts'
import { hash32 } from '../schemas/hex.ts'
import { quantity64 } from '../schemas/quantity.ts'

/** EIP-2718 bytes, of a blob transaction without its sidecar. */
export default defineMethod({
  params: params(hash32(), quantity64()),
  handle: ({ chain }, [hash, index]) => formatRawTransactionAt(findByHash(chain, hash), index),
})
