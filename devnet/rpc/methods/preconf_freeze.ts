import { formatStatus } from '../../json/formatStatus.ts'
import { params } from '../../json/params.ts'
import { flag, objectOf, optional } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'

const options = objectOf({ fields: { ticks: optional(flag()) }, isStrict: true })

/** Stops sealing, and with `{ ticks: true }` the ticks too. */
export default defineMethod({
  params: params(optional(options)),
  browser: false,
  async handle(context, [given]) {
    await context.clocks.freeze({ ticks: given?.ticks === true })
    return formatStatus(context)
  },
})
