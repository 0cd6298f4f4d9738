import { checkedTimestamp } from '../../clock/virtualTime.ts'
import { params, quantity64OrNumber } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

/**
 * Moves virtual time, and the timestamp of the pending block, forward by a number of seconds.
 * Returns the sum of all such moves in s as a decimal string; on anvil as a number.
 */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  async handle({ chain, clocks, options }, [seconds]) {
    checkedTimestamp(chain.pending.environment.timestamp + seconds)
    const total = await clocks.increaseTime(Number(seconds))
    return options.anvil ? total : String(total)
  },
})
