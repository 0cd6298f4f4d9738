import { params, quantity } from '../../json/params.ts'
import { filtersOf } from '../../stream/filters.ts'
import { defineMethod } from '../method.ts'

/** The logs, block hashes or transaction hashes since the last call. */
export default defineMethod({
  params: params(quantity()),
  remote: 'in part',
  answers: 'logs',
  reads: (context, [id]) => (filtersOf(context).readsPending(id) ? 'outcome of ticks' : undefined),
  handle: (context, [id], { signal }) => filtersOf(context).changes(id, signal),
})
