import type { Chain } from '../chain/chain.ts'
import type { Executor } from '../engine/executor.ts'
import type { Machine } from '../engine/machine.ts'
import { ExecutionAbortedError } from '../engine/scheduler.ts'
import type { Execution } from '../engine/types.ts'
import { type MachineLease, withMachine } from '../execution/machineLease.ts'
import { addressKey } from '../state/keys.ts'
import { openTracedBlock, type TracedBlock, type TracedTransaction } from './tracedBlock.ts'
import { ImpossibleTransactionError, type TraceOptions, TraceRun } from './traceRun.ts'

/**
 * Traces one transaction of a block, after those before it are executed once more. Commits nothing.
 *
 * @param index - of the transaction
 * @returns JSON text
 * @throws {TraceTooLargeError}
 * @throws {TraceTimeoutError}
 */
export function traceTransaction(
  chain: Chain,
  block: TracedBlock,
  index: number,
  options: TraceOptions,
): Promise<string> {
  const run = new TraceRun(options)
  return run.guard(() =>
    onBlock(chain, block, options, async (lease) => {
      const logCount = await replay(lease, block, index)
      const transaction = block.transactions[index]
      if (transaction === undefined) throw new Error(`The block has no transaction ${index}`)
      return (await trace(run, lease, block, { transaction, index, logCount })).trace
    }),
  )
}

/**
 * Traces all transactions of a block, each executed once. Commits nothing.
 *
 * @returns JSON text: a list of `{txHash, result}`
 * @throws {TraceTooLargeError}
 * @throws {TraceTimeoutError}
 */
export function traceBlock(
  chain: Chain,
  block: TracedBlock,
  options: TraceOptions,
): Promise<string> {
  const run = new TraceRun(options)
  return run.guard(() =>
    onBlock(chain, block, options, async (lease) => {
      const results: string[] = []
      let logCount = 0
      for (const [index, transaction] of block.transactions.entries()) {
        const traced = await trace(run, lease, block, { transaction, index, logCount })
        logCount += traced.execution.logs.length
        results.push(`{"txHash":"${transaction.hash}","result":${traced.trace}}`)
      }
      return `[${results.join(',')}]`
    }),
  )
}

/** Runs `work` on a machine with the state that the first transaction of the block met. */
function onBlock<Result>(
  chain: Chain,
  block: TracedBlock,
  { signal }: Pick<TraceOptions, 'signal'>,
  work: (lease: MachineLease) => Promise<Result>,
): Promise<Result> {
  const { engine, blockHashes } = chain
  const { rules, parentState } = block
  return withMachine(engine, rules, parentState, blockHashes, { signal }, (lease) => {
    openTracedBlock(lease.machine.overlay, block, engine.schedule.dao)
    return work(lease)
  })
}

/**
 * Executes the transactions of the block before `end` once more.
 *
 * @returns how many logs they emitted
 */
export async function replay(
  { executor, machine }: MachineLease,
  block: TracedBlock,
  end: number,
): Promise<number> {
  let logCount = 0
  for (const transaction of block.transactions.slice(0, end)) {
    const pause = machine.scheduler.yieldIfDue()
    if (pause !== undefined) await pause
    logCount += (await execute(executor, machine, block, transaction)).logs.length
  }
  return logCount
}

async function execute(
  executor: Executor,
  machine: Machine,
  block: TracedBlock,
  { tx, hash, from }: TracedTransaction,
): Promise<Execution> {
  // It was executed here before, so that a sender with code is one that was impersonated.
  if (block.isForeign !== true) machine.overlay.presentAsEoaOnce(addressKey(from))
  try {
    return await executor.run(machine, tx, block.context)
  } catch (error) {
    if (block.isForeign !== true || error instanceof ExecutionAbortedError) throw error
    throw new ImpossibleTransactionError(hash, error)
  }
}

function trace(
  run: TraceRun,
  lease: MachineLease,
  block: TracedBlock,
  at: {
    readonly transaction: TracedTransaction
    readonly index: number
    readonly logCount: number
  },
) {
  const { transaction, index, logCount } = at
  const { hash, tx, from } = transaction
  const place = { blockHash: block.hash, blockNumber: block.context.number, hash, index }
  return run.trace(lease, {
    tx,
    from,
    block: block.context,
    place,
    logCount,
    run: () => execute(lease.executor, lease.machine, block, transaction),
  })
}
