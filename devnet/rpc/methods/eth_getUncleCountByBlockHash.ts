import { formatUncleCount } from '../format/uncle.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findByHash } from '../resolveBlock.ts'
import { hash32 } from '../schemas/hex.ts'

/** Only imported blocks have uncles. */
export default defineMethod({
  params: params(hash32()),
  handle: ({ chain }, [hash]) => formatUncleCount(findByHash(chain, hash)),
})
