import { toHex } from '../../chain/bytes.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { hash32 } from '../schemas/hex.ts'

/** EIP-2718 bytes, of a blob transaction without its sidecar. */
export default defineMethod({
  params: params(hash32()),
  handle({ chain }, [hash]) {
    const found = chain.findTransaction(hash)
    if (found === undefined) return null
    return toHex((found.at === 'mempool' ? found : found.executed).transaction.raw)
  },
})
