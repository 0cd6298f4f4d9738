import { hash32, params } from '../../json/params.ts'
import { toHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { findSubmitted } from '../queries/findAfterTick.ts'

/** The EIP-2718 bytes; for a blob transaction, without its sidecar. */
export default defineMethod({
  params: params(hash32()),
  remote: 'transaction',
  handle: (context, [hash]) =>
    findSubmitted(context, hash, (found) =>
      toHex((found.at === 'mempool' ? found : found.executed).transaction.raw),
    ),
})
