import { params, quantity } from '../../json/params.ts'
import { InvalidParamsError, RefusedError } from '../../primitives/errors.ts'
import { defineCommand } from '../method.ts'

/** Sets the lowest gas price in wei. Works only before London, i.e. on an imported chain. */
export default defineCommand({
  params: params(quantity()),
  async run(context, [minGasPrice]) {
    const { chain, clocks, options } = context
    await clocks.command((writer) => {
      if (chain.pending.environment.rules.baseFee) {
        const problem = '_setMinGasPrice is not supported when EIP-1559 is active'
        if (options.anvil) throw new InvalidParamsError(`anvil${problem}`)
        throw new RefusedError(`hardhat${problem}`)
      }
      return writer.set({ minGasPrice })
    })
  },
})
