import { formatUncleCount } from '../../json/formatBlock.ts'
import { params } from '../../json/params.ts'
import { findByHash } from '../../json/resolveBlock.ts'
import { hash32 } from '../../json/schemas/hexSchemas.ts'
import { defineMethod } from '../method.ts'

/** Only imported blocks have uncles. */
export default defineMethod({
  params: params(hash32()),
  handle: ({ chain }, [hash]) => formatUncleCount(findByHash(chain, hash)),
})
