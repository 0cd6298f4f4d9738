import type { FrameKind } from '../engine/types.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import { stringifyJson } from '../primitives/json.ts'
import type { Frame, TraceBudget, TraceContext, Tracer } from './tracer.ts'

interface ListedFrame {
  readonly type: FrameKind
  /** Rises by one at most from one frame to the next: the tree follows from it. */
  readonly depth: number
  readonly from: Hex
  /** The callee; of a creation, even a failed one, the address of the contract. */
  to: Hex | undefined
  /** wei; `null` where none can move. */
  readonly value: Hex | null
  readonly input: Hex
  output: Hex
}

/** Approximate bytes of a frame in JSON, without input and output. */
const FRAME_SIZE = 250

/** Otterscan's numbers of what moves ether inside a transaction. */
const OPERATIONS: Partial<Record<FrameKind, number>> = {
  CALL: 0,
  SELFDESTRUCT: 1,
  CREATE: 2,
  CREATE2: 3,
}

/**
 * The frames in one list, outermost first, without precompiles: `ots_traceTransaction`. Or only
 * the transfers, creations and self-destructs inside of the outermost one, also of frames that
 * failed: `ots_getInternalOperations`.
 */
export function otterscanTracer(list: 'frames' | 'operations', budget: TraceBudget): Tracer {
  const listed: ListedFrame[] = []
  const open: ListedFrame[] = []
  let context: TraceContext | undefined
  const isBuiltIn = ({ type, to }: Frame): boolean => {
    const calls = type !== 'CREATE' && type !== 'CREATE2' && type !== 'SELFDESTRUCT'
    return calls && to !== undefined && context?.isPrecompile(to) === true
  }
  return {
    isLight: true,
    start(started) {
      context = started
    },
    enter(frame) {
      const { type, depth, from, to, input, value } = frame
      const moves = type !== 'DELEGATECALL' && value !== undefined
      budget.spend(FRAME_SIZE + 2 * input.length)
      const opened: ListedFrame = {
        type,
        depth,
        from: toHex(from),
        to: to === undefined ? undefined : toHex(to),
        value: moves ? quantity(value) : null,
        input: toHex(input),
        output: '0x',
      }
      open.push(opened)
      const isWanted = list === 'operations' ? isOperation(frame) : depth === 0 || !isBuiltIn(frame)
      if (isWanted) listed.push(opened)
    },
    exit({ output, created }) {
      const ended = open.pop()
      if (ended === undefined) throw new Error('A frame ended without having begun')
      if (created !== undefined) ended.to = toHex(created)
      budget.spend(2 * output.length)
      ended.output = toHex(output)
    },
    result: () => stringifyJson(list === 'operations' ? listed.map(showOperation) : listed),
  }
}

function isOperation({ depth, type, value = 0n }: Frame): boolean {
  return depth > 0 && type in OPERATIONS && (type !== 'CALL' || value > 0n)
}

function showOperation({ type, from, to, value }: ListedFrame): object {
  return { type: OPERATIONS[type], from, to, value }
}
