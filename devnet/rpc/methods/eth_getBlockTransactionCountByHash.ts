import { quantity } from '../format/quantity.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findByHash } from '../resolveBlock.ts'
import { hash32 } from '../schemas/hex.ts'

export default defineMethod({
  params: params(hash32()),
  handle({ chain }, [hash]) {
    const block = findByHash(chain, hash)
    return block === undefined ? null : quantity(block.executed.length)
  },
})
