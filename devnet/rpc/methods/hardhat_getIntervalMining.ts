import { defineMethod } from '../method.ts'

/** The interval of the sealing clock in ms, on anvil in s; `null` if the clock is frozen. */
export default defineMethod({
  handle({ clocks, options }) {
    const { running, interval } = clocks.seals
    if (!running) return null
    return options.anvil ? interval / 1000 : interval
  },
})
