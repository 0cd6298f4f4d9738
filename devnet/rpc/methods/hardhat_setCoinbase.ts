import { address, params } from '../../json/params.ts'
import { fromHex } from '../../primitives/hex.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { requireKnown } from '../../state/remote/remoteLayer.ts'
import { defineCommand } from '../method.ts'

/** Sets the fee recipient from the pending block on. */
export default defineCommand({
  params: params(address()),
  run({ chain, clocks }, [coinbase]) {
    // Each block may pay it.
    requireKnown(chain.pending.state, { accounts: [addressKeyFromHex(coinbase)], slots: [] })
    return clocks.choose((writer) => writer.set({ coinbase: fromHex(coinbase) }))
  },
})
