import { formatStatus } from '../../json/formatStatus.ts'
import { defineMethod } from '../method.ts'

/** Starts both clocks again, from where they stood. */
export default defineMethod({
  browser: false,
  async handle(context) {
    await context.clocks.resume()
    return formatStatus(context)
  },
})
