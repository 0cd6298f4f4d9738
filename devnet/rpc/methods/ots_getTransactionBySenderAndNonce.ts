import { address, params, quantity64OrNumber } from '../../json/params.ts'
import { quantity } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'
import { findBySender, wasSealedBefore } from '../queries/findBySender.ts'

/**
 * The hash of a sealed or pre-confirmed transaction; `null` for a queued one. On a forked chain,
 * the upstream is asked for those that were sealed before.
 */
export default defineMethod({
  params: params(address(), quantity64OrNumber()),
  remote: 'in part',
  reads: () => 'outcome of ticks',
  handle: ({ chain, fork: { border }, options }, [sender, nonce], { signal }) =>
    afterSubmissions<unknown>(chain, async () => {
      const key = addressKeyFromHex(sender)
      const found = findBySender({ chain, options }, key, nonce)
      if (found?.at === 'mempool') return null
      if (found !== undefined) return found.executed.transaction.hash
      if (border === undefined || !wasSealedBefore(chain, key, nonce)) return null
      const params = [sender, quantity(nonce)]
      const answer = await border.upstream.askForTransaction(
        'eth_getTransactionBySenderAndNonce',
        params,
        signal,
      )
      return isObject(answer) ? answer.hash : null
    }),
})
