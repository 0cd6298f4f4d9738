import { address, params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

/** The account's transactions stay. Returns whether it was impersonated; on anvil `null`. */
export default defineMethod({
  params: params(address()),
  browser: false,
  async handle({ chain, clocks, options }, [account]) {
    const existed = await clocks.command(async (writer) => {
      const impersonated = new Set(chain.settings.impersonated)
      const removed = impersonated.delete(account)
      await writer.set({ impersonated })
      return removed
    })
    return options.anvil ? null : existed
  },
})
