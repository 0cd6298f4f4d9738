import { address, params } from '../../json/params.ts'
import { fromHex } from '../../primitives/hex.ts'
import { defineCommand } from '../method.ts'

/** Gives the pending block and all later ones another fee recipient. */
export default defineCommand({
  params: params(address()),
  run: (context, [coinbase]) =>
    context.chain.write((job) => job.set({ coinbase: fromHex(coinbase) })),
})
