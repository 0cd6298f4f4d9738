import { defineMethod } from '../method.ts'

/** Lets timestamps follow the clocks again. Returns whether there was an interval, as on anvil. */
export default defineMethod({
  browser: false,
  handle: ({ chain, clocks }) =>
    clocks.choose(async (job) => {
      const existed = chain.settings.timestampInterval !== undefined
      await job.set({ timestampInterval: undefined })
      return existed
    }),
})
