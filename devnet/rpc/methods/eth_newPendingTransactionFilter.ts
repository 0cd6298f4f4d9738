import { filtersOf } from '../../stream/filters.ts'
import { TransactionFilter } from '../../stream/hashFilters.ts'
import { defineMethod } from '../method.ts'

/**
 * Creates a filter of the transactions that the mempool accepts; returns its id. It stays empty in
 * a profile of a network without a public mempool.
 */
export default defineMethod({
  handle: (context) =>
    filtersOf(context).add(() =>
      context.profile.silentKinds.includes('newPendingTransactions')
        ? { changes: () => [] }
        : new TransactionFilter(context.chain.events),
    ),
})
