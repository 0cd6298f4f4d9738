import { params, quantity } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { defineCommand } from '../method.ts'

/** Sets the lowest gas price in wei. Works only before London, i.e. on an imported chain. */
export default defineCommand({
  params: params(quantity()),
  async run(context, [minGasPrice]) {
    const { chain, clocks, options } = context
    await clocks.command((job) => {
      if (chain.pending.environment.rules.baseFee) {
        const method = `${options.anvil ? 'anvil' : 'hardhat'}_setMinGasPrice`
        throw new RefusedError(`${method} is not supported when EIP-1559 is active`)
      }
      return job.set({ minGasPrice })
    })
  },
})
