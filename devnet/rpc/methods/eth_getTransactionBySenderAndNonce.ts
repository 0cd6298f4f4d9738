import { formatPlaced } from '../../json/formatTransaction.ts'
import { address, params, quantity64OrNumber } from '../../json/params.ts'
import { quantity } from '../../primitives/hex.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'
import { findBySender, wasSealedBefore } from '../queries/findBySender.ts'

/**
 * Finds sealed, pre-confirmed and mempool transactions; does not wait for a tick. On a forked
 * chain, the upstream is asked for those that were sealed before.
 */
export default defineMethod({
  params: params(address(), quantity64OrNumber()),
  remote: 'in part',
  answers: 'transaction',
  handle: ({ chain, fork: { border }, options, sight }, [sender, nonce], { signal }) =>
    afterSubmissions<unknown>(chain, () => {
      const key = addressKeyFromHex(sender)
      const found = findBySender({ chain, options, sight }, key, nonce)
      if (found !== undefined) return formatPlaced(found)
      if (border === undefined || !wasSealedBefore(chain, key, nonce)) return null
      const params = [sender, quantity(nonce)]
      return border.upstream.askForTransaction('eth_getTransactionBySenderAndNonce', params, signal)
    }),
})
