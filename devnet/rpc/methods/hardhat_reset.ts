import * as z from 'zod'
import { params, wanted } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { defineCommand } from '../method.ts'

// viem sends the object without anything in it where nothing was asked for, and NaN comes as null.
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

/** Goes back to the block that the node started from; its clocks and choices, too, are as they were then. */
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
