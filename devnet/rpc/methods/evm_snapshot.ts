import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/** Returns the snapshot's id. Ids ascend and are never reused: hardhat's fixtures rely on that. */
export default defineMethod({
  browser: false,
  async handle({ clocks }) {
    return quantity(await clocks.command((writer) => writer.snapshot(clocks.snapshot())))
  },
})
