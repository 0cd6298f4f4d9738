import type { Chain } from '../chain/chain.ts'
import { admitCall, type CallParameters, executeCall, prepareCall } from '../execution/call.ts'
import type { ExecutionTarget } from '../execution/executionTarget.ts'
import { type MachineLease, withMachine } from '../execution/machineLease.ts'
import { applyStateOverrides } from '../execution/overrides.ts'
import type { CallRequest } from '../json/schemas/callRequest.ts'
import { JsonText } from '../primitives/jsonText.ts'
import { logCountOf, replay } from './executeAgain.ts'
import { openTracedBlock, type TracedBlock } from './tracedBlock.ts'
import { type TraceOptions, TraceRun } from './traceRun.ts'

/** Changes and limits of a traced call. */
interface TraceCallOptions
  extends TraceOptions,
    Pick<CallParameters, 'stateOverrides' | 'blockOverrides' | 'gasCap' | 'likeHardhat'> {
  /** Place in a block at which the call runs; default: after the target block. */
  readonly middle?: MiddleOfBlock | undefined
}

/** Position of a call before a transaction of a block. */
export interface MiddleOfBlock {
  readonly block: TracedBlock
  /** Number of the block's transactions that run before the call. */
  readonly index: number
}

/**
 * Traces a call under the rules of `eth_call`; a failed call has a trace too. Commits nothing.
 *
 * @param target - the block that code sees, and the state after it
 * @throws {CallRefusedError} if no block could include the call
 * @throws {LimitError} if the trace is too large
 * @throws {RefusedError} if it takes longer than its timeout
 */
export async function traceCall(
  { engine }: Chain,
  target: ExecutionTarget,
  request: CallRequest,
  options: TraceCallOptions,
): Promise<JsonText> {
  const { signal, middle } = options
  const prepared = { ...prepareCall(engine, target, request, options), signal }
  const run = new TraceRun(options)
  const trace = async (lease: MachineLease, logCount: number) => {
    const { call, block } = prepared
    const precompiles = await applyStateOverrides(lease, options.stateOverrides)
    const tx = admitCall(lease, call, block, options)
    const traced = await run.trace(lease, {
      tx,
      block,
      location: undefined,
      logCount,
      run: () => executeCall(lease, tx, block, { precompiles }),
    })
    return new JsonText(traced.trace)
  }
  return run.guard(() => {
    if (middle === undefined) return withMachine(prepared, (lease) => trace(lease, 0))
    const { block, index } = middle
    const { rules, parentState: state } = block
    return withMachine({ ...prepared, rules, state }, async (lease) => {
      openTracedBlock(lease.machine.overlay, block)
      const logCount = logCountOf(await replay(lease, block, index))
      return trace(rules === prepared.rules ? lease : await lease.under(prepared.rules), logCount)
    })
  })
}
