import { formatStatus } from '../../json/formatStatus.ts'
import { defineMethod } from '../method.ts'

/** Seals the pending block as it is, without a tick. */
export default defineMethod({
  browser: false,
  async handle(context) {
    await context.clocks.seal()
    return formatStatus(context)
  },
})
