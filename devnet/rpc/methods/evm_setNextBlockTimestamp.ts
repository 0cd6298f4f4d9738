import { checkedTimestamp } from '../../clock/virtualTime.ts'
import { params, quantity64OrNumber } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

/**
 * Sets the timestamp of the pending block in s since the epoch. Returns it as a decimal string, as
 * on hardhat node; on anvil `null`.
 */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  async handle({ clocks, options }, [timestamp]) {
    await clocks.setNextTimestamp(checkedTimestamp(timestamp))
    return options.anvil ? null : String(timestamp)
  },
})
