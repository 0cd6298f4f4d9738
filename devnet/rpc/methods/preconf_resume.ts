import { formatStatus } from '../../json/formatStatus.ts'
import { params } from '../../json/params.ts'
import { flag, objectOf, optional } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'

const options = objectOf({ fields: { ticks: optional(flag()) }, isStrict: true })

/** Restarts both clocks from where they stopped; with `{ ticks: false }` only sealing. */
export default defineMethod({
  params: params(optional(options)),
  browser: false,
  async handle(context, [given]) {
    await context.clocks.resume({ ticks: given?.ticks !== false })
    return formatStatus(context)
  },
})
