import type { RawLog } from '../engine/types.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { type BlockRef, PENDING_HASH } from './blockRef.ts'

/** A log as receipts and `eth_getLogs` answer it, in the order of geth's fields. */
export interface FormattedLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly transactionHash: Hex
  readonly transactionIndex: Hex
  /** 32 zero bytes while pre-confirmed. */
  readonly blockHash: Hex
  /** s since the epoch. */
  readonly blockTimestamp: Hex
  /** Index in the whole block. */
  readonly logIndex: Hex
  readonly removed: false
}

/**
 * One log of a transaction.
 *
 * @param index - index of the log in the transaction
 */
export function formatLog(
  log: RawLog,
  index: number,
  executed: ExecutedTransaction,
  block: BlockRef,
): FormattedLog {
  const [address, topics, data] = log
  return {
    address: toHex(address),
    topics: topics.map(toHex),
    data: toHex(data),
    blockNumber: block.number,
    transactionHash: executed.transaction.hash,
    transactionIndex: quantity(executed.index),
    blockHash: block.hash ?? PENDING_HASH,
    blockTimestamp: block.timestamp,
    logIndex: quantity(executed.firstLogIndex + index),
    removed: false,
  }
}
