import { integerWithin, orElse } from '../../primitives/reader.ts'
import { defineQuery, fields } from '../query.ts'

/** Lines that were logged while a page was open. */
export default defineQuery(
  'log',
  fields({ after: orElse(integerWithin(0), 0) }),
  async (dashboard, { after }, { signal }) => {
    const { naming } = dashboard.work(signal)
    const { lines, omitted } = dashboard.log.after(after)
    await naming.nameAll(lines.map(({ address }) => address))
    return { lines, omitted, names: naming.names }
  },
)
