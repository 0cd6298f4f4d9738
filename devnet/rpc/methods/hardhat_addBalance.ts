import { addBalance } from '../../chain/cheats.ts'
import { params } from '../../json/params.ts'
import { address } from '../../json/schemas/hexSchemas.ts'
import { quantity } from '../../json/schemas/numberSchemas.ts'
import { done } from '../aliases.ts'
import { defineMethod } from '../method.ts'

/** Adds wei to what the account has in the newest sealed state. */
export default defineMethod({
  params: params(address(), quantity()),
  browser: false,
  async handle(context, [account, amount]) {
    await context.chain.write((job) => job.cheat(addBalance(account, amount)))
    return done(context)
  },
})
