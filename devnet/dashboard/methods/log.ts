import { integerWithin, orElse } from '../../primitives/reader.ts'
import { defineQuery, fields } from '../query.ts'

/** Lines since the node started. */
export default defineQuery(
  fields({
    /** Only lines after the one with this id. Default: all that are kept */
    after: orElse(integerWithin(0), 0),
  }),
  async (dashboard, { after }, { signal }) => {
    const { naming } = dashboard.work(signal)
    const { lines, omitted } = dashboard.recorder.log.after(after)
    await naming.nameAll(lines.map(({ address }) => address))
    return {
      /** Oldest first. */
      lines,
      /** Number of lines after `after` that are not kept any more. */
      omitted,
      names: naming.names,
    }
  },
)
