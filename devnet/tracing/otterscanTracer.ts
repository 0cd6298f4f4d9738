import type { FrameKind } from '../engine/types.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import { stringifyJson } from '../primitives/json.ts'
import type { Paced } from '../primitives/paced.ts'
import type { Frame, FrameEnd, TraceBudget, TraceContext, Tracer } from './tracer.ts'

/** A frame as `ots_traceTransaction` lists it. */
interface ListedFrame {
  readonly type: FrameKind
  /** Rises by one at most from one frame to the next: the tree follows from it. */
  readonly depth: number
  readonly from: Hex
  /** Of a creation, also of a failed one, where the contract would be. */
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
export class OtterscanTracer implements Tracer {
  readonly #isWanted: (frame: Frame) => boolean
  readonly #show: (listed: ListedFrame) => object
  readonly #budget: TraceBudget
  readonly #listed: ListedFrame[] = []
  readonly #open: ListedFrame[] = []
  #context: TraceContext | undefined

  constructor(list: 'frames' | 'operations', budget: TraceBudget) {
    this.#isWanted =
      list === 'operations' ? isOperation : (frame) => frame.depth === 0 || !this.#isBuiltIn(frame)
    this.#show = list === 'operations' ? showOperation : (listed) => listed
    this.#budget = budget
  }

  start(context: TraceContext): void {
    this.#context = context
  }

  enter(frame: Frame): void {
    const { type, depth, from, to, input, value } = frame
    const moves = type !== 'DELEGATECALL' && value !== undefined
    this.#budget.spend(FRAME_SIZE + 2 * input.length)
    const listed: ListedFrame = {
      type,
      depth,
      from: toHex(from),
      to: to === undefined ? undefined : toHex(to),
      value: moves ? quantity(value) : null,
      input: toHex(input),
      output: '0x',
    }
    this.#open.push(listed)
    if (this.#isWanted(frame)) this.#listed.push(listed)
  }

  exit({ output, created }: FrameEnd): void {
    const listed = this.#open.pop()
    if (listed === undefined) throw new Error('A frame ended that never began')
    if (created !== undefined) listed.to = toHex(created)
    this.#budget.spend(2 * output.length)
    listed.output = toHex(output)
  }

  #isBuiltIn({ type, to }: Frame): boolean {
    const calls = type !== 'CREATE' && type !== 'CREATE2' && type !== 'SELFDESTRUCT'
    return calls && to !== undefined && this.#context?.isPrecompile(to) === true
  }

  result(): Paced<string[]> {
    return stringifyJson(this.#listed.map(this.#show))
  }
}

function isOperation({ depth, type, value = 0n }: Frame): boolean {
  return depth > 0 && type in OPERATIONS && (type !== 'CALL' || value > 0n)
}

function showOperation({ type, from, to, value }: ListedFrame): object {
  return { type: OPERATIONS[type], from, to, value }
}
