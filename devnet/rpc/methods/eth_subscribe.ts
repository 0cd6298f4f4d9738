import { params } from '../../json/params.ts'
import { InvalidParamsError, shorten } from '../../primitives/errors.ts'
import { anything, optional, text } from '../../primitives/reader.ts'
import { subscriptionKinds } from '../../stream/kinds.ts'
import { openSubscriptions, subscriptionsOf } from '../../stream/subscriptions.ts'
import { defineMethod } from '../method.ts'

/** Starts a subscription on the caller's connection. Returns its id; notifications carry it. */
export default defineMethod({
  params: params(text(), optional(anything)),
  handle({ chain, options, profile }, [name, extra], caller) {
    const subscriptions = subscriptionsOf(caller.subscribe())
    const kind = subscriptionKinds(profile).get(name)
    if (kind === undefined) {
      const names = profile.kinds.join(', ')
      throw new InvalidParamsError(
        `no "${shorten(name, 50)}" subscription in eth namespace; there are ${names}`,
      )
    }
    const start = kind(chain, extra === undefined ? [name] : [name, extra])
    return subscriptions.add(start, openSubscriptions(chain), options, extra)
  },
})
