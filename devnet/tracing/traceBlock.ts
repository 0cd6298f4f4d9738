import type { Chain } from '../chain/chain.ts'
import { SIDE_BY_SIDE } from '../engine/scheduler.ts'
import { type MachineLease, withMachine } from '../execution/machineLease.ts'
import { JsonText } from '../primitives/jsonText.ts'
import { memoize } from '../primitives/memo.ts'
import { Semaphore } from '../primitives/serialQueue.ts'
import { applySteps, executeIn, logCountOf, replay } from './executeAgain.ts'
import { openTracedBlock, type TracedBlock } from './tracedBlock.ts'
import { type Traced, type TraceOptions, TraceRun } from './traceRun.ts'

/**
 * Traces all transactions of a block, each executed once. Commits nothing.
 *
 * @returns a list of `{txHash, result}`
 * @throws {LimitError} if the trace is too large
 * @throws {RefusedError} if it takes longer than its timeout
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

/**
 * Traces one transaction of a block, after executing those before it again. Commits nothing.
 *
 * @param index - index of the transaction in the block
 * @throws {LimitError} if the trace is too large
 * @throws {RefusedError} if it takes longer than its timeout
 */
export function traceTransaction(
  chain: Chain,
  block: TracedBlock,
  index: number,
  options: TraceOptions,
): Promise<JsonText> {
  return onBlock(chain, block, options, async (run, lease) => {
    const logCount = logCountOf(await replay(lease, block, index))
    return new JsonText((await traceAt(run, lease, block, index, logCount)).trace)
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
  const trace = () =>
    withMachine(request, (lease) => {
      openTracedBlock(lease.machine.overlay, block)
      return work(run, lease)
    })
  if (options.signal === undefined) return run.guard(trace)
  const turns = turnsOf(options.signal)
  state.retain()
  return run.guard(() => turns.run(trace)).finally(() => state.release())
}

/** Each trace takes a machine; a batch, whose requests have one signal, runs so many at a time. */
const turnsOf = memoize((_batch: AbortSignal) => new Semaphore(SIDE_BY_SIDE))

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
    run: () => executeIn(lease, block, transaction),
  })
}
