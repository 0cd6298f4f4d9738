import { params, quantity64OrNumber } from '../../json/params.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import { defineCommand } from '../method.ts'

/** Sets the chain id from the pending block on. Drops waiting transactions signed for another. */
export default defineCommand({
  params: params(quantity64OrNumber()),
  async run(context, [chainId]) {
    if (chainId < 1n || chainId > BigInt(Number.MAX_SAFE_INTEGER)) {
      throw new InvalidParamsError(
        `want a chain id from 1 to ${Number.MAX_SAFE_INTEGER}, got ${chainId}`,
      )
    }
    await context.clocks.choose((writer) => writer.set({ chainId: Number(chainId) }))
  },
})
