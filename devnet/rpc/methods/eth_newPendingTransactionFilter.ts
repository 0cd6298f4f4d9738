import { filtersOf } from '../../stream/filters.ts'
import { TransactionFilter } from '../../stream/hashFilters.ts'
import { defineMethod } from '../method.ts'

/** Creates a filter of the transactions that the mempool accepts; returns its id. */
export default defineMethod({
  handle: (context) => filtersOf(context).add(() => new TransactionFilter(context.chain)),
})
