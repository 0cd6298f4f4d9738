import { fromHex } from '../../chain/bytes.ts'
import { done } from '../anvilForm.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { address } from '../schemas/hex.ts'

/** Gives the pending block and all later ones another fee recipient. */
export default defineMethod({
  params: params(address()),
  browser: false,
  async handle(context, [coinbase]) {
    await context.chain.write((turn) => turn.set({ coinbase: fromHex(coinbase) }))
    return done(context)
  },
})
