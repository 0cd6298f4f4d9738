import type { TransactionLocation } from '../../chain/chain.ts'
import { hash32, params } from '../../json/params.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { findSubmitted } from '../queries/findAfterTick.ts'

/** EIP-2718 bytes, of a blob transaction without its sidecar. */
export default defineMethod({
  params: params(hash32()),
  handle({ chain }, [hash]) {
    const found = findSubmitted(chain, hash)
    return found instanceof Promise ? found.then(rawOf) : rawOf(found)
  },
})

function rawOf(found: TransactionLocation | undefined): Hex | null {
  if (found === undefined) return null
  return toHex((found.at === 'mempool' ? found : found.executed).transaction.raw)
}
