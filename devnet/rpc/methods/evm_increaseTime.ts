import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { quantity64OrNumber } from '../schemas/quantity.ts'
import { checkedTimestamp } from '../timestamp.ts'

/**
 * Puts the timestamp of the pending block so many s later; virtual time follows when it is sealed. Answers the s as
 * decimal text.
 */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  async handle({ chain, clocks }, [seconds]) {
    await clocks.setNextTimestamp(checkedTimestamp(chain.pending.environment.timestamp + seconds))
    return String(seconds)
  },
})
