import { setBalance } from '../../chain/cheats.ts'
import { address, params, quantity } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

export default defineCommand({
  params: params(address(), quantity()),
  run: (context, [account, balance]) =>
    context.chain.write((job) => job.cheat(setBalance(account, balance))),
})
