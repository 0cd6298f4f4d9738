import * as z from 'zod'
import { params, wanted } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { defineCommand } from '../method.ts'

// viem sends an empty object for no fork, and NaN comes as null.
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

/** Goes back to the block that the node started from, with its clocks and settings. */
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
