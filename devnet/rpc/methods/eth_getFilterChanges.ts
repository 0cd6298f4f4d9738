import { params, quantity } from '../../json/params.ts'
import { filtersOf } from '../../stream/filters.ts'
import { defineMethod } from '../method.ts'

/** The logs, block hashes or transaction hashes since the last call. */
export default defineMethod({
  params: params(quantity()),
  readsPending: (context, [id]) => filtersOf(context).readsPending(id),
  handle: (context, [id]) => filtersOf(context).changes(id),
})
