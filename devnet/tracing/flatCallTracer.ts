import type { FlatCallConfig } from '../json/schemas/tracerChoice.ts'
import { fromHex, type Hex } from '../primitives/hex.ts'
import { stringifyJson } from '../primitives/json.ts'
import type { Halt } from '../protocol/halt.ts'
import { type CallNode, CallTracer } from './callTracer.ts'
import type { TraceBudget, TraceContext, Tracer } from './tracer.ts'

/**
 * The frames in one list, outermost first, in the form of Parity's `trace_transaction`: geth's
 * `flatCallTracer`.
 */
export function flatCallTracer(config: FlatCallConfig, budget: TraceBudget): Tracer {
  const frames = new CallTracer({ onlyTopCall: false, withLog: false }, budget)
  const halts = new Map<CallNode, Halt>()
  let context: TraceContext | undefined

  function* flatten(node: CallNode, traceAddress: readonly number[]): Generator<object, void> {
    const calls = node.calls ?? []
    // Among failed frames, only reverted ones have a result.
    const halt = halts.get(node)
    const returns = halt === undefined || halt === 'revert'
    const { type, action, result } = describe(node)
    const location = context?.location
    yield {
      action,
      blockHash: location?.blockHash ?? null,
      blockNumber: Number(location?.blockNumber ?? 0n),
      error: (config.convertParityErrors && halt && PARITY_ERRORS[halt]) || node.error,
      result: returns ? result : undefined,
      subtraces: calls.length,
      traceAddress,
      transactionHash: location?.hash ?? null,
      transactionPosition: location?.index ?? 0,
      type,
    }
    for (const [index, call] of calls.entries()) yield* flatten(call, [...traceAddress, index])
  }

  return {
    isLight: true,
    start(started) {
      context = started
      frames.start(started)
    },
    // Unlike in other tracers, a STATICCALL has a value here: 0.
    enter: (frame) => frames.enter({ ...frame, value: frame.value ?? 0n }),
    exit(end) {
      const node = frames.innermost
      frames.exit(end)
      if (node !== undefined && end.halt !== undefined) halts.set(node, end.halt)
      if (config.includePrecompiles || end.depth === 0 || node?.to === undefined) return
      if (node.type !== 'CALL' && node.type !== 'STATICCALL') return
      if (context?.isPrecompile(fromHex(node.to)) === true) frames.innermost?.calls?.pop()
    },
    end: (execution) => frames.end(execution),
    result: () => stringifyJson(flatten(frames.root, [])),
  }
}

function describe(node: CallNode): { type: string; action: object; result?: object } {
  const { type, from, to, gas, gasUsed, value, input, output = '0x' satisfies Hex } = node
  switch (type) {
    case 'CREATE':
    case 'CREATE2':
      return {
        type: 'create',
        action: { creationMethod: type.toLowerCase(), from, gas, init: input, value },
        result: { address: to, code: output, gasUsed },
      }
    case 'SELFDESTRUCT':
      return { type: 'suicide', action: { address: from, balance: value, refundAddress: to } }
    default:
      return {
        type: 'call',
        action: { callType: type.toLowerCase(), from, gas, input, to, value },
        result: { gasUsed, output },
      }
  }
}

/** Parity's words, where they are not geth's. */
const PARITY_ERRORS: Readonly<Partial<Record<Halt, string>>> = {
  outOfGas: 'Out of gas',
  codeStoreOutOfGas: 'Out of gas',
  codeSize: 'Out of gas',
  invalidJump: 'Bad jump destination',
  revert: 'Reverted',
  outOfReturnData: 'Out of bounds',
  stackOverflow: 'Out of stack',
  inputLength: 'Built-in failed',
  invalidOpcode: 'Bad instruction',
  stackUnderflow: 'Stack underflow',
}
