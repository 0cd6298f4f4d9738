import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { quantity64OrNumber } from '../schemas/quantity.ts'
import { checkedTimestamp } from '../timestamp.ts'

/** Ticks, then seals; with a timestamp in s, the block has that one. Answers what hardhat node does. */
export default defineMethod({
  params: params(quantity64OrNumber().optional()),
  browser: false,
  async handle({ clocks }, [timestamp]) {
    await clocks.tickAndSeal(1, {
      timestamp: timestamp === undefined ? undefined : checkedTimestamp(timestamp),
    })
    return '0'
  },
})
