import * as z from 'zod'
import { params, wanted } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { defineCommand } from '../method.ts'

// Without a fork, viem sends an empty object or a block number of NaN, which is null in JSON.
const options = z.looseObject(
  {
    forking: z
      .looseObject(
        { jsonRpcUrl: z.unknown().optional(), blockNumber: z.unknown().optional() },
        wanted('an object'),
      )
      .nullish(),
  },
  wanted('an object'),
)

/** Goes back to the block that the node started from, and to its initial clocks and settings. */
export default defineCommand({
  params: params(options.optional()),
  async run(context, [given]) {
    const { jsonRpcUrl, blockNumber } = given?.forking ?? {}
    if ((jsonRpcUrl ?? null) !== null || (blockNumber ?? null) !== null) {
      throw new RefusedError(
        'this node cannot fork another network: leave "forking" out to go back to the block that it started from',
      )
    }
    await context.clocks.reset()
  },
})
