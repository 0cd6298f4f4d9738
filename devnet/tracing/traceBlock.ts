import type { Chain } from '../chain/chain.ts'
import { ExecutionAbortedError } from '../engine/scheduler.ts'
import type { Execution } from '../engine/types.ts'
import { type MachineLease, withMachine } from '../execution/machineLease.ts'
import { JsonText } from '../primitives/jsonText.ts'
import { addressKey } from '../state/keys.ts'
import { openTracedBlock, type TracedBlock, type TracedTransaction } from './tracedBlock.ts'
import { ImpossibleTransactionError, type Traced, type TraceOptions, TraceRun } from './traceRun.ts'

/**
 * Traces one transaction of a block, after executing those before it again. Commits nothing.
 *
 * @param index - index of the transaction in the block
 * @throws {TraceTooLargeError}
 * @throws {TraceTimeoutError}
 */
export function traceTransaction(
  chain: Chain,
  block: TracedBlock,
  index: number,
  options: TraceOptions,
): Promise<JsonText> {
  return onBlock(chain, block, options, async (run, lease) => {
    const logCount = await replay(lease, block, index)
    return new JsonText((await traceAt(run, lease, block, index, logCount)).trace)
  })
}

/**
 * Traces all transactions of a block, each executed once. Commits nothing.
 *
 * @returns a list of `{txHash, result}`
 * @throws {TraceTooLargeError}
 * @throws {TraceTimeoutError}
 */
export function traceBlock(
  chain: Chain,
  block: TracedBlock,
  options: TraceOptions,
): Promise<JsonText> {
  return onBlock(chain, block, options, async (run, lease) => {
    const pieces: string[] = []
    let logCount = 0
    for (const [index, { hash }] of block.transactions.entries()) {
      const { trace, execution } = await traceAt(run, lease, block, index, logCount)
      logCount += execution.logs.length
      pieces.push(`${index === 0 ? '[' : ','}{"txHash":"${hash}","result":`)
      for (const piece of trace) pieces.push(piece)
      pieces.push('}')
      applySteps(lease, block, index + 1)
    }
    return new JsonText(pieces.length === 0 ? '[]' : [...pieces, ']'])
  })
}

/** Runs `work` on a machine with the state before the first transaction of the block. */
function onBlock(
  { engine, blockHashes }: Chain,
  block: TracedBlock,
  options: TraceOptions,
  work: (run: TraceRun, lease: MachineLease) => Promise<JsonText>,
): Promise<JsonText> {
  const run = new TraceRun(options)
  const { rules, parentState: state } = block
  const request = { engine, rules, state, blockHashes, signal: options.signal }
  return run.guard(() =>
    withMachine(request, (lease) => {
      openTracedBlock(lease.machine.overlay, block, engine.schedule.dao)
      return work(run, lease)
    }),
  )
}

/**
 * Executes the transactions before index `end` again, with the changes by command between them.
 * Returns the number of their logs.
 */
export async function replay(
  lease: MachineLease,
  block: TracedBlock,
  end: number,
): Promise<number> {
  let logCount = 0
  for (const [index, transaction] of block.transactions.slice(0, end).entries()) {
    const pause = lease.machine.scheduler.yieldIfDue()
    if (pause !== undefined) await pause
    logCount += (await execute(lease, block, transaction)).logs.length
    applySteps(lease, block, index + 1)
  }
  return logCount
}

/** Makes the changes by command that came right after the first `count` transactions. */
function applySteps({ machine }: MachineLease, { steps }: TracedBlock, count: number): void {
  for (const { after, diff } of steps) if (after === count) machine.overlay.apply(diff)
}

async function execute(
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

async function traceAt(
  run: TraceRun,
  lease: MachineLease,
  block: TracedBlock,
  index: number,
  logCount: number,
): Promise<Traced> {
  const transaction = block.transactions[index]
  if (transaction === undefined) throw new Error(`The block has no transaction ${index}`)
  const { hash, tx } = transaction
  return run.trace(lease, {
    tx,
    block: block.context,
    location: { blockHash: block.hash, blockNumber: block.context.number, hash, index },
    logCount,
    run: () => execute(lease, block, transaction),
  })
}
