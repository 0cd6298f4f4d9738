import { groupsOf } from '../groups.ts'
import { defineQuery, fields, integer } from '../query.ts'

/** Groups of blocks, newest last. */
export default defineQuery(
  'strip',
  fields({ before: integer(0).optional(), limit: integer(1, 200).default(200) }),
  (dashboard, range, { signal }) => groupsOf(dashboard, range, signal),
)
