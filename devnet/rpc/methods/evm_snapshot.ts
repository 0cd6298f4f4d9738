import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/** Returns the snapshot's id. Ids ascend and are never reused: hardhat's fixtures rely on that. */
export default defineMethod({
  browser: false,
  async handle({ chain, clocks }) {
    return quantity(await chain.write((job) => job.snapshot(clocks.snapshot())))
  },
})
