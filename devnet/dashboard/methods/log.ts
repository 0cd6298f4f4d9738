import { integerWithin, orElse } from '../../primitives/reader.ts'
import { defineQuery, fields } from '../query.ts'

/** Lines since the node started. */
export default defineQuery(
  'log',
  fields({ after: orElse(integerWithin(0), 0) }),
  async (dashboard, { after }, { signal }) => {
    const { naming } = dashboard.work(signal)
    const { lines, omitted } = dashboard.recorder.log.after(after)
    await naming.nameAll(lines.map(({ address }) => address))
    return { lines, omitted, names: naming.names }
  },
)
