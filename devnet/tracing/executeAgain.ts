import type { Chain } from '../chain/chain.ts'
import { ExecutionAbortedError } from '../engine/scheduler.ts'
import type { Execution } from '../engine/types.ts'
import { type ExecutionLimits, type MachineLease, withMachine } from '../execution/machineLease.ts'
import { reasonOf } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import { addressKey } from '../state/keys.ts'
import { openTracedBlock, type TracedBlock, type TracedTransaction } from './tracedBlock.ts'

/** Executes the first `count` transactions of a block again, without a trace. Commits nothing. */
export function executeAgain(
  { engine, blockHashes }: Chain,
  block: TracedBlock,
  count: number,
  limits: ExecutionLimits,
): Promise<Execution[]> {
  const { rules, parentState: state } = block
  return withMachine({ ...limits, engine, rules, state, blockHashes }, (lease) => {
    openTracedBlock(lease.machine.overlay, block)
    return replay(lease, block, count)
  })
}

/**
 * A transaction of a block that this node never executed is invalid. Not a `RefusedError`, because
 * it is thrown during an execution: the machine must not be reused.
 */
export class ImpossibleTransactionError extends Error {
  override name = 'ImpossibleTransactionError'
  constructor(hash: Hex, cause: unknown) {
    super(`tracing failed: transaction ${hash} cannot be executed: ${reasonOf(cause)}`, { cause })
  }
}

/**
 * Executes the transactions before index `end` again, with the changes by command between and
 * behind them.
 */
export async function replay(
  lease: MachineLease,
  block: TracedBlock,
  end: number,
): Promise<Execution[]> {
  const executions: Execution[] = []
  for (const [index, transaction] of block.transactions.slice(0, end).entries()) {
    const pause = lease.machine.scheduler.yieldIfDue()
    if (pause !== undefined) await pause
    executions.push(await executeIn(lease, block, transaction))
    applySteps(lease, block, index + 1)
  }
  return executions
}

export function logCountOf(executions: readonly Execution[]): number {
  return executions.reduce((count, { logs }) => count + logs.length, 0)
}

/** Makes the changes by command that came right after the first `count` transactions. */
export function applySteps({ machine }: MachineLease, { steps }: TracedBlock, count: number): void {
  for (const { after, diff } of steps) if (after === count) machine.overlay.apply(diff)
}

/** Executes a transaction of a block on the state that those before it have left. */
export async function executeIn(
  { executor, machine }: MachineLease,
  block: TracedBlock,
  { tx, hash }: TracedTransaction,
): Promise<Execution> {
  // This node accepted the transaction, so if the sender has code, it was impersonated.
  if (block.wasExecuted) machine.overlay.presentAsEoaOnce(addressKey(tx.from))
  try {
    return await executor.run(machine, tx, block.context)
  } catch (error) {
    if (block.wasExecuted || error instanceof ExecutionAbortedError) throw error
    throw new ImpossibleTransactionError(hash, error)
  }
}
