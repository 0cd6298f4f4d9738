import { defineMethod } from '../method.ts'

/** Timestamps follow the clocks again. Answers whether there was an interval, as anvil. */
export default defineMethod({
  browser: false,
  handle: ({ chain }) =>
    chain.write(async (turn) => {
      const existed = chain.standing.timestampInterval !== undefined
      await turn.set({ timestampInterval: undefined })
      return existed
    }),
})
