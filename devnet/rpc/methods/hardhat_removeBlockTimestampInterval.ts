import { defineMethod } from '../method.ts'

/** Lets timestamps follow the clocks again. Returns whether there was an interval, as on anvil. */
export default defineMethod({
  browser: false,
  handle: ({ chain, clocks }) =>
    clocks.choose(async (writer) => {
      const existed = chain.settings.timestampInterval !== undefined
      await writer.set({ timestampInterval: undefined })
      return existed
    }),
})
