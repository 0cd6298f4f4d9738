import type { Chain } from '../chain/chain.ts'
import { type Hex, quantity } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import type { SealedBlock } from '../protocol/block.ts'
import { blockTimeMs } from '../protocol/rollup/baseTime.ts'

/** Finds the block of a number, and of a hash if it is given; `undefined` if it is not there. */
export type FindBlock = (number: number, hash: unknown) => SealedBlock | undefined

/** The blocks of a chain. */
export function blocksOf({ history }: Pick<Chain, 'history'>): FindBlock {
  return (number, hash) => {
    const block = history.byNumber(number)
    return hash === undefined || block?.hash === hash ? block : undefined
  }
}

/**
 * Adds the fields of Denim to blocks, headers, transactions, receipts and logs, and to lists of
 * them, as JSON values: `timestampMs` beside a block's `timestamp`, `blockTimestampMs` in mined
 * transactions and logs; in receipts only in their logs. Blocks that do not tell their time in ms
 * have neither.
 */
export function withMilliseconds(find: FindBlock, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => withMilliseconds(find, entry))
  if (!isObject(value)) return value
  const { transactions, logs } = value
  return {
    ...value,
    ...(Array.isArray(transactions)
      ? { transactions: withMilliseconds(find, transactions) }
      : undefined),
    ...(Array.isArray(logs) ? { logs: withMilliseconds(find, logs) } : timeFields(find, value)),
  }
}

/** The field of a value that is no receipt. */
function timeFields(find: FindBlock, value: Record<string, unknown>): object | undefined {
  const { blockNumber, blockHash, number, hash } = value
  if (typeof blockNumber === 'string') {
    const block = find(Number(blockNumber), blockHash)
    // A log of an abandoned block has it already.
    return block && { blockTimestampMs: timeOf(block) }
  }
  return typeof number === 'string'
    ? { timestampMs: timeOf(find(Number(number), hash)) }
    : undefined
}

/** Time of a block in ms since the epoch; `undefined` if the block does not tell it. */
export function timeOf(block: SealedBlock | undefined): Hex | undefined {
  const time = block && blockTimeMs(block)
  return time === undefined ? undefined : quantity(time)
}
