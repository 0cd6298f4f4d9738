import { address, params } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

/** Lets an account, even a contract, send transactions without a key. It cannot sign messages. */
export default defineCommand({
  params: params(address()),
  run: ({ chain, clocks }, [account]) =>
    clocks.command((writer) =>
      writer.set({ impersonated: new Set([...chain.settings.impersonated, account]) }),
    ),
})
