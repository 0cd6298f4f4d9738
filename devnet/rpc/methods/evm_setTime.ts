import { params, quantity64OrNumber } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { checkedTimestamp } from '../mineRequest.ts'

/** From here on a time is in ms, as on ganache: in s it would be 1,000 years ahead. */
const MILLISECONDS_FROM = 100_000_000_000n

/**
 * Moves virtual time, and the timestamp of the pending block, to a time in s or ms. Answers the
 * difference in s.
 */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  handle({ clocks }, [time]) {
    return clocks.setTime(checkedTimestamp(time >= MILLISECONDS_FROM ? time / 1000n : time))
  },
})
