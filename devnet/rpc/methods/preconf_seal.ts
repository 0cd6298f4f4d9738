import { formatStatus } from '../../json/formatStatus.ts'
import { defineMethod } from '../method.ts'

/** Ticks if a transaction is runnable and ticks are not frozen, then seals the pending block. */
export default defineMethod({
  browser: false,
  async handle(context) {
    await context.clocks.seal()
    return formatStatus(context)
  },
})
