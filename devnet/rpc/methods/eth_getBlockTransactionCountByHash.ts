import { params } from '../../json/params.ts'
import { findByHash } from '../../json/resolveBlock.ts'
import { hash32 } from '../../json/schemas/hexSchemas.ts'
import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(hash32()),
  handle({ chain }, [hash]) {
    const block = findByHash(chain, hash)
    return block === undefined ? null : quantity(block.executed.length)
  },
})
