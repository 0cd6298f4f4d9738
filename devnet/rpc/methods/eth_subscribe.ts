import * as z from 'zod'
import { InvalidParamsError } from '../../errors.ts'
import { subscriptionKinds } from '../../stream/subscriptionKinds.ts'
import { NotificationsUnsupportedError, subscriptionsOf } from '../../stream/subscriptions.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { shorten } from '../schemas/issues.ts'
import { text } from '../schemas/plain.ts'

/** Starts a subscription on a WebSocket connection; answers its id, under which results then come (geth). */
export default defineMethod({
  params: params(text(), z.unknown().optional()),
  handle(context, [name, extra], caller) {
    const { connection } = caller
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
