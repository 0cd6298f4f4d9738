import { params, quantity64OrNumber } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { checkedTimestamp } from '../mineRequest.ts'

/** Gives the pending block this timestamp, in s. Answers it as decimal text, as hardhat node; on anvil `null`. */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  async handle({ clocks, options }, [timestamp]) {
    await clocks.setNextTimestamp(checkedTimestamp(timestamp))
    return options.anvil ? null : String(timestamp)
  },
})
