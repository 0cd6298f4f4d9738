import { checkedTimestamp } from '../clock/virtualTime.ts'
import { quantity64OrNumber } from '../json/params.ts'
import { type Output, objectOf, type Reader } from '../primitives/reader.ts'
import type { RpcContext } from './context.ts'

/** Parameter of `evm_mine`. */
export type MineRequest = Output<typeof FIELDS>

/**
 * Reads a timestamp, as on hardhat node, or an object with a timestamp and the number of blocks, as
 * on ganache and anvil.
 */
export const mineRequest = (): Reader<MineRequest> => REQUEST

const FIELDS = objectOf({
  optional: {
    /** Timestamp of the first block in s since the epoch. Default: that of the pending block. */
    timestamp: quantity64OrNumber(),
    /** Number of blocks. Default: 1. */
    blocks: quantity64OrNumber(),
  },
  what: 'a timestamp, or an object',
  isStrict: true,
})

const REQUEST: Reader<MineRequest> = (value, context) =>
  typeof value === 'object' && value !== null
    ? FIELDS(value, context)
    : { timestamp: quantity64OrNumber()(value, context) }

/**
 * Ticks, then seals, `blocks` times. Returns the numbers of the first and the last block; if
 * `blocks` is 0, `first` is higher than `last`.
 *
 * @throws {InvalidParamsError} if the timestamp of a block is too late
 * @throws {RefusedError} if the newest sealed block is not older than the timestamp
 */
export async function mine(
  { clocks }: Pick<RpcContext, 'clocks'>,
  { timestamp, blocks = 1n }: MineRequest = {},
): Promise<{ readonly first: number; readonly last: number }> {
  const count = Number(blocks)
  if (count === 0) return { first: 1, last: 0 }
  const { number: last } = await clocks.tickAndSeal(count, {
    timestamp: timestamp === undefined ? undefined : checkedTimestamp(timestamp),
  })
  return { first: last - count + 1, last }
}
