import { params, quantity } from '../../json/params.ts'
import { filtersOf } from '../../stream/filters.ts'
import { defineMethod } from '../method.ts'

/** Removes a filter; returns whether it existed. */
export default defineMethod({
  params: params(quantity()),
  handle: (context, [id]) => filtersOf(context).remove(id),
})
