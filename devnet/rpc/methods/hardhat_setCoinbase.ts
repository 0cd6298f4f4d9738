import { address, params } from '../../json/params.ts'
import { fromHex } from '../../primitives/hex.ts'
import { defineCommand } from '../method.ts'

/** Sets the fee recipient from the pending block on. */
export default defineCommand({
  params: params(address()),
  run: ({ clocks }, [coinbase]) => clocks.choose((job) => job.set({ coinbase: fromHex(coinbase) })),
})
