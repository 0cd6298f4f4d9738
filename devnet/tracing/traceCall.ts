import type { Chain } from '../chain/chain.ts'
import type { BlockContext } from '../engine/types.ts'
import type { UnsignedTransaction } from '../engine/unsignedTransaction.ts'
import { admitCall, executeCall, freeBlock } from '../execution/call.ts'
import { callTransaction } from '../execution/callTransaction.ts'
import type { ExecutionTarget } from '../execution/executionTarget.ts'
import { type MachineLease, withMachine } from '../execution/machineLease.ts'
import { applyStateOverrides, overrideBlock, overrideBlockHashes } from '../execution/overrides.ts'
import type { BlockOverrides, CallRequest, StateOverrides } from '../execution/types.ts'
import { replay } from './traceBlock.ts'
import { openTracedBlock, type TracedBlock } from './tracedBlock.ts'
import { type TraceOptions, TraceRun } from './traceRun.ts'

/** What changes a traced call, and what bounds it. */
export interface TraceCallOptions extends TraceOptions {
  readonly stateOverrides?: StateOverrides | undefined
  readonly blockOverrides?: BlockOverrides | undefined
  /** Most gas that the call gets; a request for more is cut to it. */
  readonly gasCap: bigint
}

/** A call before a transaction of a block, rather than after the block. */
export interface MiddleOfBlock {
  readonly block: TracedBlock
  /** How many of its transactions run before the call. */
  readonly index: number
}

/**
 * Traces a call under the rules of `eth_call`; one that fails has a trace too. Commits nothing.
 *
 * @param target - the block that code sees, and the state after it
 * @param middle - where the call stands instead of after the block
 * @returns JSON text
 * @throws {CallRefusedError} where no block could hold the call
 * @throws {TraceTooLargeError}
 * @throws {TraceTimeoutError}
 */
export function traceCall(
  chain: Chain,
  target: ExecutionTarget,
  request: CallRequest,
  options: TraceCallOptions,
  middle?: MiddleOfBlock,
): Promise<string> {
  const { engine } = chain
  const { blockOverrides, gasCap, signal } = options
  const { chainId, schedule } = engine
  const wanted = callTransaction(request, { gasLimit: gasCap, nonce: 0n, chainId })
  const call = wanted.gasLimit > gasCap ? { ...wanted, gasLimit: gasCap } : wanted
  const block = freeBlock(overrideBlock(target.block, blockOverrides), call)
  const blockHashes = overrideBlockHashes(target.blockHashes, blockOverrides?.blockHash)
  const run = new TraceRun(options)
  return run.guard(async () => {
    if (middle === undefined) {
      const rules = schedule.at(block.number, block.timestamp)
      return withMachine(engine, rules, target.state, blockHashes, { signal }, (lease) =>
        traceOne(run, lease, call, block, { ...options, logCount: 0 }),
      )
    }
    const { block: around, index } = middle
    const { rules, parentState } = around
    return withMachine(engine, rules, parentState, blockHashes, { signal }, async (lease) => {
      openTracedBlock(lease.machine.overlay, around, schedule.dao)
      const logCount = await replay(lease, around, index)
      const own = schedule.at(block.number, block.timestamp)
      const last = own === rules ? lease : await lease.under(own)
      return traceOne(run, last, call, block, { ...options, logCount })
    })
  })
}

async function traceOne(
  run: TraceRun,
  lease: MachineLease,
  call: UnsignedTransaction,
  block: BlockContext,
  options: TraceCallOptions & { readonly logCount: number },
): Promise<string> {
  const precompiles = applyStateOverrides(lease.machine, options.stateOverrides)
  const { rules } = lease.executor
  const checked = admitCall(lease, call, block, { rules, validation: false })
  const { trace } = await run.trace(lease, {
    tx: checked.tx,
    from: checked.from,
    block,
    place: undefined,
    logCount: options.logCount,
    run: () => executeCall(lease, checked, block, { precompiles }),
  })
  return trace
}
