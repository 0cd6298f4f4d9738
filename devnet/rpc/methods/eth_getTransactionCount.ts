import { address, blockReference, params } from '../../json/params.ts'
import { stateAt } from '../../json/resolveBlock.ts'
import { quantity } from '../../primitives/hex.ts'
import { isPendingTag } from '../../protocol/blockReference.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'

/**
 * With `pending`, counts pre-confirmed transactions, and those that wait for a block as on
 * Hardhat's network without automine, but not others in the mempool.
 */
export default defineMethod({
  params: params(address(), blockReference().optional()),
  reads: ({ clocks }, [, block]) =>
    isPendingTag(block) && !clocks.collecting ? 'pending block' : undefined,
  handle(context, [account, block]) {
    const { chain, clocks } = context
    const key = addressKeyFromHex(account)
    if (isPendingTag(block) && clocks.collecting) {
      return afterSubmissions(chain, () => quantity(chain.mempool.nextNonce(key)))
    }
    return quantity(stateAt(context, block).account(key)?.nonce ?? 0n)
  },
})
