import { formatStatus } from '../../json/formatStatus.ts'
import { params } from '../../json/params.ts'
import { faultScript } from '../../json/schemas/faultScript.ts'
import { optional } from '../../primitives/reader.ts'
import { defineCommand } from '../method.ts'

/** Replaces the rules of faults; without a parameter, only answers the status. */
export default defineCommand({
  params: params(optional(faultScript())),
  run: ({ faults }, [script]) => script && faults.apply(script),
  answer: formatStatus,
})
