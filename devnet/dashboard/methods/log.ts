import { defineQuery, fields, integer } from '../query.ts'

/** Lines that were logged while a page was open. */
export default defineQuery(
  'log',
  fields({ after: integer(0).default(0) }),
  async (dashboard, { after }, { signal }) => {
    const { naming } = dashboard.work(signal)
    const { lines, omitted } = dashboard.log.after(after)
    await naming.nameAll(lines.map(({ address }) => address))
    return { lines, omitted, names: naming.names }
  },
)
