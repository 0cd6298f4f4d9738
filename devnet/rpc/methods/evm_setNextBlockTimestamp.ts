import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { quantity64OrNumber } from '../schemas/quantity.ts'
import { checkedTimestamp } from '../timestamp.ts'

/** Gives the pending block this timestamp, in s. Answers it as decimal text, as hardhat node; on anvil `null`. */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  async handle({ clocks, options }, [timestamp]) {
    await clocks.setNextTimestamp(checkedTimestamp(timestamp))
    return options.anvil ? null : String(timestamp)
  },
})
