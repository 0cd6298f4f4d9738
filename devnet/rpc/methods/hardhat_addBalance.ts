import { addBalance } from '../../chain/cheats.ts'
import { done } from '../anvilForm.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { address } from '../schemas/hex.ts'
import { quantity } from '../schemas/quantity.ts'

/** Adds wei to what the account has in the newest sealed state. */
export default defineMethod({
  params: params(address(), quantity()),
  browser: false,
  async handle(context, [account, amount]) {
    await context.chain.write((turn) => turn.cheat(addBalance(account, amount)))
    return done(context)
  },
})
