import { setBalance } from '../../chain/cheats.ts'
import { params } from '../../json/params.ts'
import { address } from '../../json/schemas/hexSchemas.ts'
import { quantity } from '../../json/schemas/numberSchemas.ts'
import { done } from '../aliases.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(address(), quantity()),
  browser: false,
  async handle(context, [account, balance]) {
    await context.chain.write((job) => job.cheat(setBalance(account, balance)))
    return done(context)
  },
})
