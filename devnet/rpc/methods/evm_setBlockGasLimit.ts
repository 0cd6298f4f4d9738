import { params, quantity64OrNumber } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { defineMethod } from '../method.ts'

/** Nothing would fit into the block (hardhat's words). */
export class ZeroGasLimitError extends RefusedError {
  override name = 'ZeroGasLimitError'
  constructor() {
    super('Block gas limit must be greater than 0')
  }
}

/** Gives the pending block and all later ones this gas limit; what does not fit any more goes back to the mempool. */
export default defineMethod({
  params: params(quantity64OrNumber()),
  browser: false,
  async handle({ chain }, [gasLimit]) {
    if (gasLimit === 0n) throw new ZeroGasLimitError()
    await chain.write((job) => job.set({ gasLimit }))
    return true
  },
})
