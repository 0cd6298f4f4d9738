import { queryLogs } from '../logQuery.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { logFilter } from '../schemas/logFilter.ts'

/** With `toBlock: "pending"`, the pre-confirmed logs come after the sealed ones. */
export default defineMethod({
  params: params(logFilter()),
  handle: (context, [filter], { signal }) => queryLogs(context, filter, signal),
})
