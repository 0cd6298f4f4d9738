import { params, quantity } from '../../json/params.ts'
import { filtersOf } from '../../stream/filters.ts'
import { defineMethod } from '../method.ts'

/** Logs, or hashes of blocks or transactions, that came since the last read; each once. */
export default defineMethod({
  params: params(quantity()),
  handle: (context, [id]) => filtersOf(context).changes(id),
})
