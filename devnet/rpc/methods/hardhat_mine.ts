import { params, quantity64OrNumber } from '../../json/params.ts'
import { optional } from '../../primitives/reader.ts'
import type { RpcContext } from '../context.ts'
import { defineCommand } from '../method.ts'

/**
 * Ticks, then seals, `count` times. Each block but the first is `interval` s after the one before.
 * On anvil, the first is `interval` s after the newest block or after now, whichever is later.
 */
export default defineCommand({
  params: params(optional(quantity64OrNumber()), optional(quantity64OrNumber())),
  async run(context, [count = 1n, interval]) {
    const { chain, clocks, options } = context
    if (count === 0n) return
    const isFixed = chain.settings.timestampInterval !== undefined
    if (options.anvil && interval !== undefined && interval > 0n && !isFixed) {
      await clocks.tickAndSealApart(Number(count), Number(interval))
      return
    }
    await clocks.tickAndSeal(Number(count), {
      interval: isFixed ? undefined : secondsBetween(context, interval),
    })
  },
})

/** 0 is valid only if equal timestamps are allowed; otherwise viem's 0 means the default, 1. */
function secondsBetween({ options }: RpcContext, interval: bigint | undefined): number {
  if (interval === 0n) return options.allowBlocksWithSameTimestamp ? 0 : 1
  return Number(interval ?? 1n)
}
