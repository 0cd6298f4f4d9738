import { setBalance } from '../../chain/cheats.ts'
import { done } from '../anvilForm.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { address } from '../schemas/hex.ts'
import { quantity } from '../schemas/quantity.ts'

export default defineMethod({
  params: params(address(), quantity()),
  browser: false,
  async handle(context, [account, balance]) {
    await context.chain.write((turn) => turn.cheat(setBalance(account, balance)))
    return done(context)
  },
})
