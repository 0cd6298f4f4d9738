import { checkedTimestamp } from '../../clock/virtualTime.ts'
import { params, quantity64OrNumber } from '../../json/params.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import { defineCommand } from '../method.ts'

/**
 * Fixes the interval between block timestamps from the pending block on, whatever the clocks say.
 * On anvil it is in s, otherwise in ms, as viem sends it, and must be whole seconds.
 */
export default defineCommand({
  params: params(quantity64OrNumber()),
  async run(context, [interval]) {
    const { chain, clocks, options } = context
    if (!options.anvil && interval % 1000n !== 0n) {
      throw new InvalidParamsError(`want whole seconds in ms, such as 1000, got ${interval}`)
    }
    const timestampInterval = options.anvil ? interval : interval / 1000n
    await clocks.choose(
      (writer) => writer.set({ timestampInterval }),
      () => {
        if (timestampInterval === 0n && !clocks.equalTimestamps) {
          throw new InvalidParamsError(
            'want at least one second, or start the node with --allow-blocks-with-same-timestamp',
          )
        }
        checkedTimestamp(chain.pending.environment.timestamp + timestampInterval)
      },
    )
  },
})
