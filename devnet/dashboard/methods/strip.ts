import { integerWithin, optional, orElse } from '../../primitives/reader.ts'
import { groupSource, groupsOf } from '../groups.ts'
import { defineQuery, fields } from '../query.ts'

/** Groups of blocks, newest last. */
export default defineQuery(
  'strip',
  fields({ before: optional(integerWithin(0)), limit: orElse(integerWithin(1, 200), 200) }),
  async (dashboard, range, { signal }) => {
    await dashboard.index.sync(signal)
    return groupsOf(dashboard, groupSource(dashboard, range), signal)
  },
)
