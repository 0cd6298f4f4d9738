import { params, quantity } from '../../json/params.ts'
import { filtersOf } from '../../stream/filters.ts'
import { defineMethod } from '../method.ts'
import { queryLogs } from '../queries/logQuery.ts'

/** All logs that a filter is about, also those that were read before; what is new stays new. */
export default defineMethod({
  params: params(quantity()),
  handle(context, [id], { signal }) {
    const query = filtersOf(context).query(id)
    return query === undefined ? [] : queryLogs(context, query, signal)
  },
})
