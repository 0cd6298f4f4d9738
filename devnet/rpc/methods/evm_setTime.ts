import { checkedTimestamp } from '../../clock/virtualTime.ts'
import { params, quantity64OrNumber } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

/** Values of at least this are in ms, as on ganache: in s they would be after the year 5000. */
const MILLISECONDS_FROM = 100_000_000_000n

/**
 * Moves virtual time, and the timestamp of the pending block, to a time in s or ms. Returns the
 * number of seconds that time moved forward; 0 if it moved back.
 */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  handle({ clocks }, [time]) {
    return clocks.setTime(checkedTimestamp(time >= MILLISECONDS_FROM ? time / 1000n : time))
  },
})
