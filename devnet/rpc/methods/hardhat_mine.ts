import { InvalidParamsError } from '../../errors.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { quantity64OrNumber } from '../schemas/quantity.ts'
import { checkedTimestamp } from '../timestamp.ts'

/** Blocks of one command: each is really sealed and kept. */
const MOST_BLOCKS = 1_000_000n

/** Ticks, then seals `count` blocks; from the second on, each is `interval` s after the one before. */
export default defineMethod({
  params: params(quantity64OrNumber().optional(), quantity64OrNumber().optional()),
  browser: false,
  async handle({ chain, clocks }, [count = 1n, interval = 1n]) {
    if (count > MOST_BLOCKS) {
      throw new InvalidParamsError(
        `${count} blocks are too many for one command, want at most ${MOST_BLOCKS}`,
      )
    }
    checkedTimestamp(chain.pending.environment.timestamp + count * interval)
    // viem sends 0 for "not given".
    const seconds = interval === 0n ? 1 : Number(interval)
    if (count > 0n) await clocks.tickAndSeal(Number(count), { interval: seconds })
    return true
  },
})
