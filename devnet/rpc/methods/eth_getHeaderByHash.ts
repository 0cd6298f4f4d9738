import { formatBlockHeader } from '../format/block.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { hash32 } from '../schemas/hex.ts'

export default defineMethod({
  params: params(hash32()),
  handle({ chain }, [hash]) {
    const block = chain.history.byHash(hash)
    return block === undefined ? null : formatBlockHeader(block)
  },
})
