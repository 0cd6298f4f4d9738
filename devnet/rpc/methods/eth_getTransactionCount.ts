import { address, blockReference, params } from '../../json/params.ts'
import { stateAt } from '../../json/resolveBlock.ts'
import { quantity } from '../../primitives/hex.ts'
import { optional } from '../../primitives/reader.ts'
import { isPendingTag } from '../../protocol/blockReference.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'

/**
 * With `pending`, counts pre-confirmed transactions but not those in the mempool, unless they wait
 * for a block, as on Hardhat's network without automine: then even those without room in it. In a
 * profile whose nodes count the mempool, counts both.
 */
export default defineMethod({
  params: params(address(), optional(blockReference())),
  remote: 'state',
  readsState: true,
  handle(context, [account, block]) {
    const { chain, preview, sight } = context
    const key = addressKeyFromHex(account)
    const nonce = stateAt(context, block).account(key)?.nonce ?? 0n
    if (!isPendingTag(block)) return quantity(nonce)
    if (preview === undefined && sight?.profile.poolNonces !== true) return quantity(nonce)
    const next = chain.mempool.nextNonce(key)
    // The nonce of an account with code also rises in other accounts' transactions.
    return quantity(nonce > next ? nonce : next)
  },
})
