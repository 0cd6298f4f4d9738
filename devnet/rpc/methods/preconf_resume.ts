import { formatStatus } from '../../json/formatStatus.ts'
import { params } from '../../json/params.ts'
import { flag, objectOf, optional } from '../../primitives/reader.ts'
import { defineCommand } from '../method.ts'

const options = objectOf({ fields: { ticks: optional(flag()) }, isStrict: true })

/** Restarts both clocks from where they stopped; with `{ ticks: false }` only sealing. */
export default defineCommand({
  params: params(optional(options)),
  run: ({ clocks }, [given]) => clocks.resume({ ticks: given?.ticks !== false }),
  answer: formatStatus,
})
