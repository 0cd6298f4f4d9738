import { formatBlock } from '../format/block.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findByHash } from '../resolveBlock.ts'
import { hash32 } from '../schemas/hex.ts'
import { flag } from '../schemas/plain.ts'

export default defineMethod({
  params: params(hash32(), flag().optional()),
  handle({ chain }, [hash, fullTransactions = false]) {
    const block = findByHash(chain, hash)
    return block === undefined ? null : formatBlock(block, fullTransactions)
  },
})
