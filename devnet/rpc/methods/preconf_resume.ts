import { formatStatus } from '../../json/formatStatus.ts'
import { defineMethod } from '../method.ts'

/** Restarts both clocks from where they stopped. */
export default defineMethod({
  browser: false,
  async handle(context) {
    await context.clocks.resume()
    return formatStatus(context)
  },
})
