import { params, quantity } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { defineCommand } from '../method.ts'

/** The base fee is what a transaction has to pay at least (the words of hardhat and of anvil). */
export class MinGasPriceUnsupportedError extends RefusedError {
  override name = 'MinGasPriceUnsupportedError'
  constructor(anvil: boolean) {
    const method = `${anvil ? 'anvil' : 'hardhat'}_setMinGasPrice`
    super(`${method} is not supported when EIP-1559 is active`)
  }
}

/** wei; cheaper transactions are refused from now on. Only before London, on an imported chain. */
export default defineCommand({
  params: params(quantity()),
  async run(context, [minGasPrice]) {
    const { chain, options } = context
    await chain.write((job) => {
      if (chain.pending.environment.rules.baseFee) {
        throw new MinGasPriceUnsupportedError(options.anvil)
      }
      return job.set({ minGasPrice })
    })
  },
})
