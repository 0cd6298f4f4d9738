import { setBalance } from '../../chain/cheats.ts'
import { address, params, quantity } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

export default defineCommand({
  params: params(address(), quantity()),
  run: ({ chain }, [account, balance]) =>
    chain.write((job) => job.cheat(setBalance(account, balance))),
})
