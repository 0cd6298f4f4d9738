import { formatUncleAt } from '../format/uncle.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findByHash } from '../resolveBlock.ts'
import { hash32 } from '../schemas/hex.ts'
import { quantity64 } from '../schemas/quantity.ts'

/** Only imported blocks have uncles. */
export default defineMethod({
  params: params(hash32(), quantity64()),
  handle: ({ chain }, [hash, index]) => formatUncleAt(findByHash(chain, hash), index),
})
