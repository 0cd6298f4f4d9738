import { params, quantity64OrNumber } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { checkedTimestamp } from '../mineRequest.ts'

/** In s, what is larger lies 1,000 years ahead: it is meant in ms, as ganache takes it. */
const MILLISECONDS_FROM = 100_000_000_000n

/**
 * Moves virtual time, and the timestamp of the pending block, to a time in s, or in ms. Answers by how many s that is
 * later.
 */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  handle({ clocks }, [time]) {
    return clocks.setTime(checkedTimestamp(time >= MILLISECONDS_FROM ? time / 1000n : time))
  },
})
