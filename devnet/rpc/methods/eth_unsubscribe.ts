import { params } from '../../json/params.ts'
import { text } from '../../primitives/reader.ts'
import { subscriptionsOf } from '../../stream/subscriptions.ts'
import { defineMethod } from '../method.ts'

/** Ends a subscription of the caller's connection; returns whether it existed. */
export default defineMethod({
  params: params(text()),
  handle: (_context, [id], caller) => subscriptionsOf(caller.subscribe()).remove(id),
})
