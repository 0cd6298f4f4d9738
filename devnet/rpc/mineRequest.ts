import * as z from 'zod'
import { nested, quantity64OrNumber, reader, wanted } from '../json/params.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import type { RpcContext } from './context.ts'

/** The latest time that a JavaScript Date can hold, in s since the epoch. */
const LATEST_TIMESTAMP = 8_640_000_000_000n

/** Converts a timestamp in s. @throws {InvalidParamsError} if it is later than a Date can hold */
export function checkedTimestamp(timestamp: bigint): number {
  if (timestamp > LATEST_TIMESTAMP) {
    throw new InvalidParamsError(
      `timestamp ${timestamp} is too late: it is in seconds, and at most ${LATEST_TIMESTAMP}`,
    )
  }
  return Number(timestamp)
}

/** Parameter of `evm_mine`. */
export interface MineRequest {
  /** Timestamp of the first block in s since the epoch. Default: that of the pending block. */
  readonly timestamp: bigint | undefined
  /** Number of blocks. Default: 1. */
  readonly blocks: bigint | undefined
}

/** Maximum number of blocks that one command may seal. */
const MOST_BLOCKS = 1_000_000n

/**
 * Reads a timestamp, as on hardhat node, or an object with a timestamp and the number of blocks, as
 * on ganache and anvil.
 */
export const mineRequest = (): z.ZodType<MineRequest> => REQUEST

const FIELDS = z.strictObject(
  { timestamp: quantity64OrNumber().nullish(), blocks: quantity64OrNumber().nullish() },
  wanted('a timestamp, or an object'),
)

const REQUEST = reader<MineRequest>((value, context) => {
  if (typeof value !== 'object' || value === null) {
    return { timestamp: nested(quantity64OrNumber(), value, context), blocks: undefined }
  }
  const { timestamp, blocks } = nested(FIELDS, value, context)
  if (context.issues.length > 0) return z.NEVER
  return { timestamp: timestamp ?? undefined, blocks: blocks ?? undefined }
})

/**
 * Ticks, then seals, `blocks` times. Returns the numbers of the first and the last block; if
 * `blocks` is 0, `first` is higher than `last`.
 *
 * @throws {InvalidParamsError} if there are too many blocks, or the timestamp is too late
 * @throws {TimestampError} if the newest sealed block is not older than the timestamp
 */
export async function mine(
  { clocks }: Pick<RpcContext, 'clocks'>,
  { timestamp, blocks = 1n }: Partial<MineRequest> = {},
): Promise<{ readonly first: number; readonly last: number }> {
  const count = checkedCount(blocks)
  if (count === 0) return { first: 1, last: 0 }
  const { number: last } = await clocks.tickAndSeal(count, {
    timestamp: timestamp === undefined ? undefined : checkedTimestamp(timestamp),
  })
  return { first: last - count + 1, last }
}

/** Converts a number of blocks. @throws {InvalidParamsError} if it is too large for one command */
export function checkedCount(blocks: bigint): number {
  if (blocks <= MOST_BLOCKS) return Number(blocks)
  throw new InvalidParamsError(
    `${blocks} blocks are too many for one command, want at most ${MOST_BLOCKS}`,
  )
}
