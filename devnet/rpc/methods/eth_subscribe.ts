import * as z from 'zod'
import { params } from '../../json/params.ts'
import { shorten } from '../../json/schemas/issues.ts'
import { text } from '../../json/schemas/numberSchemas.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import { subscriptionKinds } from '../../stream/kinds.ts'
import { NotificationsUnsupportedError, subscriptionsOf } from '../../stream/subscriptions.ts'
import { defineMethod } from '../method.ts'

/** Starts a subscription on a WebSocket connection; answers its id, under which results then come (geth). */
export default defineMethod({
  params: params(text(), z.unknown().optional()),
  handle(context, [name, extra], caller) {
    const connection = caller.subscribe()
    if (connection === undefined) throw new NotificationsUnsupportedError()
    const kind = subscriptionKinds.get(name)
    if (kind === undefined) {
      const names = [...subscriptionKinds.keys()].join(', ')
      throw new InvalidParamsError(
        `no "${shorten(name, 50)}" subscription in eth namespace; there are ${names}`,
      )
    }
    const start = kind(context, extra === undefined ? [name] : [name, extra])
    return subscriptionsOf(connection).add(start, context.options.maxSubscriptions)
  },
})
