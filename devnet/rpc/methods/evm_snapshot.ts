import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/** Ids rise and are never reused, which hardhat's fixtures rely on. */
export default defineMethod({
  browser: false,
  async handle({ chain, clocks }) {
    return quantity(await chain.write((job) => job.snapshot(clocks.snapshot())))
  },
})
