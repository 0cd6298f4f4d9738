import { quantity, toHex } from '../primitives/hex.ts'
import type { ExecutedTransaction, RawLog } from '../protocol/receipt.ts'
import { type BlockRef, PENDING_HASH } from './blockRef.ts'
import type { FormattedLog } from './receiptForm.ts'

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
