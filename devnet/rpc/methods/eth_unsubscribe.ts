import { params } from '../../json/params.ts'
import { text } from '../../json/schemas/numberSchemas.ts'
import { NotificationsUnsupportedError, subscriptionsOf } from '../../stream/subscriptions.ts'
import { defineMethod } from '../method.ts'

/** Ends a subscription of this WebSocket connection; answers false where it has none with that id. */
export default defineMethod({
  params: params(text()),
  handle(_context, [id], caller) {
    const connection = caller.subscribe()
    if (connection === undefined) throw new NotificationsUnsupportedError()
    return subscriptionsOf(connection).remove(id)
  },
})
