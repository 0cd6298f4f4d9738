import { params, quantity } from '../../json/params.ts'
import { filtersOf } from '../../stream/filters.ts'
import { defineMethod } from '../method.ts'
import { queryLogs } from '../queries/logQuery.ts'

/** All logs of a filter, including those read before. Does not mark any as read. */
export default defineMethod({
  params: params(quantity()),
  remote: 'in part',
  answers: 'logs',
  reads: (context, [id]) => (filtersOf(context).readsPending(id) ? 'outcome of ticks' : undefined),
  handle(context, [id], { signal }) {
    const query = filtersOf(context).query(id)
    return query === undefined ? [] : queryLogs(context, query, signal)
  },
})
