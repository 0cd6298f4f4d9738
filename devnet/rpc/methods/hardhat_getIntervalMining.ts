import { defineMethod } from '../method.ts'

/** The interval of the sealing clock, in ms, or in s on anvil; `null` where it does not beat. */
export default defineMethod({
  handle({ clocks, options }) {
    const { running, interval } = clocks.seals
    if (!running) return null
    return options.anvil ? interval / 1000 : interval
  },
})
