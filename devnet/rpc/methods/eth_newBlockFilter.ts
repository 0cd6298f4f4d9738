import { filtersOf } from '../../stream/filters.ts'
import { BlockFilter } from '../../stream/hashFilters.ts'
import { defineMethod } from '../method.ts'

/** Creates a filter of sealed blocks; returns its id. */
export default defineMethod({
  handle: (context) => filtersOf(context).add(() => new BlockFilter(context)),
})
