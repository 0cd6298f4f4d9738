import { params } from '../../json/params.ts'
import { logFilter } from '../../json/schemas/logFilter.ts'
import { defineMethod } from '../method.ts'
import { queryLogs, touchesPending, withDefaultEnd } from '../queries/logQuery.ts'

/** With `toBlock: "pending"`, the pre-confirmed logs come after the sealed ones. */
export default defineMethod({
  params: params(logFilter()),
  remote: 'in part',
  answers: 'logs',
  reads: (context, [filter]) => (touchesPending(filter, context) ? 'pending block' : undefined),
  handle: (context, [filter], { signal }) =>
    queryLogs(context, withDefaultEnd(filter, context), signal),
})
