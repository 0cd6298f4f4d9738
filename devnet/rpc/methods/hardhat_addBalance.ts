import { addBalance } from '../../chain/cheats.ts'
import { address, params, quantity } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

/** Adds wei to the balance of an account. */
export default defineCommand({
  params: params(address(), quantity()),
  run: ({ chain }, [account, amount]) =>
    chain.write((job) => job.cheat(addBalance(account, amount))),
})
