import { formatBlock } from '../../json/formatBlock.ts'
import { params } from '../../json/params.ts'
import { findByHash } from '../../json/resolveBlock.ts'
import { hash32 } from '../../json/schemas/hexSchemas.ts'
import { flag } from '../../json/schemas/numberSchemas.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(hash32(), flag().optional()),
  handle({ chain }, [hash, fullTransactions = false]) {
    const block = findByHash(chain, hash)
    return block === undefined ? null : formatBlock(block, fullTransactions)
  },
})
