import { params } from '../../json/params.ts'
import { flag } from '../../json/schemas/numberSchemas.ts'
import { done } from '../aliases.ts'
import { defineMethod } from '../method.ts'

/**
 * On, each transaction is pre-confirmed and sealed at once. Off, ticks run and nothing is sealed until
 * `evm_setIntervalMining` or `preconf_resume`.
 */
export default defineMethod({
  params: params(flag()),
  browser: false,
  async handle(context, [enabled]) {
    await context.clocks.setAutomine(enabled)
    return done(context)
  },
})
