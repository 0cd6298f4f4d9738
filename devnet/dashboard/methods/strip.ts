import { groupSource, groupsOf } from '../groups.ts'
import { defineQuery, fields, integer } from '../query.ts'

/** Groups of blocks, newest last. */
export default defineQuery(
  'strip',
  fields({ before: integer(0).optional(), limit: integer(1, 200).default(200) }),
  async (dashboard, range, { signal }) => {
    await dashboard.index.sync(signal)
    return groupsOf(dashboard, groupSource(dashboard, range), signal)
  },
)
