import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/** Ids rise and are never used again: hardhat's fixtures count on both. */
export default defineMethod({
  browser: false,
  async handle({ chain, clocks }) {
    return quantity(await chain.write((job) => job.snapshot(clocks.snapshot())))
  },
})
