import { formatStatus } from '../../json/formatStatus.ts'
import { params } from '../../json/params.ts'
import { faultScript } from '../../json/schemas/faultScript.ts'
import { optional } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'

/** Replaces the rules of faults; without a parameter, only answers the status. */
export default defineMethod({
  params: params(optional(faultScript())),
  browser: false,
  async handle(context, [script]) {
    if (script !== undefined) await context.faults.apply(script)
    return formatStatus(context)
  },
})
