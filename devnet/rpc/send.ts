import type { Submission } from '../chain/submissions.ts'
import type { Execution } from '../engine/executor.ts'
import { RefusedError } from '../errors.ts'
import { callFailure } from '../execution/call.ts'
import type { Hex } from '../types.ts'
import type { RpcContext } from './context.ts'

/** A transaction that was accepted in instant mode turned out to be one that can never run. */
export class SendDroppedError extends RefusedError {
  override name = 'SendDroppedError'
}

/**
 * Sends a transaction. Its hash is answered as soon as the mempool has accepted it; in instant mode once it is sealed, or
 * turns out to have to wait. One that fails then is sealed nevertheless, and the answer is its error, as hardhat node's.
 *
 * @throws {RefusedError}
 * @throws {ExecutionRevertedError} {@link ExecutionHaltedError}, in instant mode
 */
export function send(
  context: Pick<RpcContext, 'chain' | 'clocks'>,
  submission: Submission,
): Hex | Promise<Hex> {
  if (context.clocks.instant) return sendInstantly(context, submission)
  const accepted = context.chain.submit(submission)
  return accepted instanceof Promise ? accepted.then(({ hash }) => hash) : accepted.hash
}

async function sendInstantly(
  { chain, clocks }: Pick<RpcContext, 'chain' | 'clocks'>,
  submission: Submission,
): Promise<Hex> {
  const failed = new Map<Hex, Execution>()
  // Only the tick has what a transaction returned.
  const stopListening = chain.onTick(({ executed, executions }) => {
    for (const [index, { success, transaction }] of executed.entries()) {
      const execution = executions[index]
      if (!success && execution !== undefined) failed.set(transaction.hash, execution)
    }
  })
  try {
    const { hash } = await chain.submit(submission)
    await clocks.arrivals
    const execution = failed.get(hash)
    if (execution !== undefined) throw callFailure({ ...execution, lastOpcode: undefined })
    const dropped = chain.dropped.findLast((one) => one.hash === hash)
    if (dropped !== undefined && chain.findTransaction(hash) === undefined) {
      throw new SendDroppedError(dropped.reason)
    }
    return hash
  } finally {
    stopListening()
  }
}
