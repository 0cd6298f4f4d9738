import { params } from '../../json/params.ts'
import { address } from '../../json/schemas/hexSchemas.ts'
import { fromHex } from '../../primitives/hex.ts'
import { done } from '../aliases.ts'
import { defineMethod } from '../method.ts'

/** Gives the pending block and all later ones another fee recipient. */
export default defineMethod({
  params: params(address()),
  browser: false,
  async handle(context, [coinbase]) {
    await context.chain.write((job) => job.set({ coinbase: fromHex(coinbase) }))
    return done(context)
  },
})
