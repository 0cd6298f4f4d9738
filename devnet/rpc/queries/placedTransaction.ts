import type { TransactionLocation } from '../../chain/chain.ts'
import { RefusedError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { type TracedBlock, tracedBlock } from '../../tracing/tracedBlock.ts'
import type { RpcContext } from '../context.ts'
import { findSubmitted } from './findAfterTick.ts'

/** A transaction that was executed, sealed or not. */
export type PlacedTransaction = Exclude<TransactionLocation, { at: 'mempool' }>

/**
 * A transaction that was executed, with its block, to be executed again.
 *
 * @throws {RefusedError} if there is none, it is still in the mempool, or the state before its
 * block is not kept
 */
export async function placedTransaction(
  { chain, options }: Pick<RpcContext, 'chain' | 'options'>,
  hash: Hex,
): Promise<{ readonly found: PlacedTransaction; readonly block: TracedBlock }> {
  const found = await findSubmitted({ chain, options }, hash, (location) => location)
  if (found === null) throw new RefusedError('transaction not found')
  if (found.at === 'mempool') {
    throw new RefusedError(
      options.receipts === 'sealed'
        ? `transaction ${hash} is not sealed, and this node finds no other by hash (--receipts sealed): wait for the seal, or use debug_traceTransaction`
        : `transaction ${hash} is still in the mempool: it can be traced once a tick has pre-confirmed it`,
    )
  }
  return { found, block: tracedBlock(chain, found.at === 'sealed' ? found.block : found.view) }
}
