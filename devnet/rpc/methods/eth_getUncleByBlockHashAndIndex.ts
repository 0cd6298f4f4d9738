import { formatUncleAt } from '../../json/formatBlock.ts'
import { params } from '../../json/params.ts'
import { findByHash } from '../../json/resolveBlock.ts'
import { hash32 } from '../../json/schemas/hexSchemas.ts'
import { quantity64 } from '../../json/schemas/numberSchemas.ts'
import { defineMethod } from '../method.ts'

/** Only imported blocks have uncles. */
export default defineMethod({
  params: params(hash32(), quantity64()),
  handle: ({ chain }, [hash, index]) => formatUncleAt(findByHash(chain, hash), index),
})
