import type { Hex } from 'viem'
import type { PendingView } from '../../../devnet/chain/building/pendingView.ts'
import { executionTarget } from '../../../devnet/execution/executionTarget.ts'
import { readValue } from '../../../devnet/json/params.ts'
import type { BlockOverrides } from '../../../devnet/json/schemas/blockOverrides.ts'
import type { CallRequest } from '../../../devnet/json/schemas/callRequest.ts'
import type { AccountOverride } from '../../../devnet/json/schemas/stateOverrides.ts'
import { traceConfig } from '../../../devnet/json/schemas/traceConfig.ts'
import type { OptionsInput } from '../../../devnet/options/options.ts'
import type { SealedBlock } from '../../../devnet/protocol/block.ts'
import { traceBlock, traceTransaction } from '../../../devnet/tracing/traceBlock.ts'
import { traceCall } from '../../../devnet/tracing/traceCall.ts'
import { tracedBlock } from '../../../devnet/tracing/tracedBlock.ts'
import { CODE, createExecutionChain, GAS_CAP, overrides } from '../execution/harness.ts'

/** A frame of `callTracer`, as far as tests look at it. */
export interface TracedFrame {
  readonly type: string
  readonly from: Hex
  readonly to?: Hex
  readonly gas: Hex
  readonly gasUsed: Hex
  readonly value?: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly TracedFrame[]
  readonly logs?: readonly {
    readonly address: Hex
    readonly topics: readonly Hex[]
    readonly data: Hex
    readonly index: Hex
    readonly position: Hex
  }[]
}

/** A step of struct logs. */
export interface StructLog {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly error?: string
  readonly stack?: readonly Hex[]
  readonly memory?: readonly Hex[]
  readonly storage?: Readonly<Record<Hex, Hex>>
  readonly returnData?: Hex
  readonly refund?: number
}

export interface StructLogs {
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: Hex
  readonly structLogs: readonly StructLog[]
}

/** Changes that a test may make. */
export interface TraceChanges {
  readonly block?: SealedBlock | PendingView
  readonly state?: Readonly<Record<Hex, AccountOverride>>
  readonly header?: BlockOverrides
  /** Transactions of the block before the call. */
  readonly index?: number
  readonly maxSize?: number
  readonly timeout?: number
  readonly signal?: AbortSignal
}

/**
 * A chain in this process whose executions can be traced. Configs are those of the JSON-RPC
 * methods.
 */
export async function createTracingChain(options: OptionsInput = {}) {
  const node = await createExecutionChain(options)
  const { chain } = node
  const limits = (config: object, { maxSize, timeout, signal }: TraceChanges) => {
    const read = readValue(traceConfig(), config)
    return {
      tracer: read.tracer,
      timeout: timeout ?? read.timeout,
      maxSize: maxSize ?? 50_000_000,
      signal,
    }
  }
  const call = async <Trace>(
    request: CallRequest,
    config: object = {},
    changes: TraceChanges = {},
  ): Promise<Trace> => {
    const block = changes.block ?? chain.pending
    const { index } = changes
    const { text } = await traceCall(chain, executionTarget(chain, block), request, {
      ...limits(config, changes),
      stateOverrides: changes.state && overrides(changes.state),
      blockOverrides: changes.header,
      gasCap: GAS_CAP,
      middle: index === undefined ? undefined : { block: tracedBlock(chain, block), index },
    })
    // Each test knows what its tracer answers.
    return JSON.parse(text) as Trace
  }
  return {
    ...node,
    traceCall: call,
    /** Traces a call of `code`, at an account with 1 wei. */
    traceCode: <Trace>(
      code: Hex,
      config: object = {},
      request: CallRequest = {},
      changes: TraceChanges = {},
    ) =>
      call<Trace>({ from: node.from, to: CODE, ...request }, config, {
        ...changes,
        state: { [CODE]: { code, balance: 1n }, ...changes.state },
      }),
    /** Traces a transaction that was executed. */
    traceSent: async <Trace>(
      hash: Hex,
      config: object = {},
      changes: TraceChanges = {},
    ): Promise<Trace> => {
      const place = chain.findTransaction(hash)
      if (place === undefined || place.at === 'mempool') throw new Error(`${hash} was not executed`)
      const block = tracedBlock(chain, place.at === 'sealed' ? place.block : place.view)
      const options = limits(config, changes)
      return JSON.parse((await traceTransaction(chain, block, place.executed.index, options)).text)
    },
    traceBlock: async <Trace>(
      block: SealedBlock | PendingView,
      config: object = {},
      changes: TraceChanges = {},
    ): Promise<{ txHash: Hex; result: Trace }[]> =>
      JSON.parse(
        (await traceBlock(chain, tracedBlock(chain, block), limits(config, changes))).text,
      ),
  }
}

export type TracingChain = Awaited<ReturnType<typeof createTracingChain>>

/**
 * `CALL`, `CALLCODE`, `DELEGATECALL` or `STATICCALL` of an address with 50,000 gas; what it answers
 * is popped.
 */
export function callCode(opcode: 'f1' | 'f2' | 'f4' | 'fa', to: Hex, value = 0): string {
  const withValue = opcode === 'f1' || opcode === 'f2'
  const worth = withValue ? `60${value.toString(16).padStart(2, '0')}` : ''
  return `5f5f5f5f${worth}73${to.slice(2)}61c350${opcode}50`
}
