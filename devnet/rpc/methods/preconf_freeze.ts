import { formatStatus } from '../../json/formatStatus.ts'
import { params } from '../../json/params.ts'
import { flag, objectOf, optional } from '../../primitives/reader.ts'
import { defineCommand } from '../method.ts'

const options = objectOf({ fields: { ticks: optional(flag()) }, isStrict: true })

/** Stops sealing, and with `{ ticks: true }` the ticks too. */
export default defineCommand({
  params: params(optional(options)),
  run: ({ clocks }, [given]) => clocks.freeze({ ticks: given?.ticks === true }),
  answer: formatStatus,
})
