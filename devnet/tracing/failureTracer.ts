import type { Step } from '../engine/library/tracingLoop.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { stringifyJson } from '../primitives/json.ts'
import { Op } from '../protocol/opcodes.ts'
import type { FrameEnd, TraceBudget, Tracer } from './tracer.ts'

/** A frame that failed, at the moment at which it failed or called the next one. */
export interface FailedFrame {
  /** Number among all frames, from 0, callers before callees. */
  readonly number: number
  /** The code that ran; `0x` if none did. */
  readonly code: Hex
  readonly isCreation: boolean
  /** Positions of the last opcodes that ran, in order. */
  readonly last: readonly number[]
  /** Positions of all JUMP opcodes that ran; `null` if there were too many. */
  readonly jumps: readonly number[] | null
}

interface OpenFrame extends Pick<FailedFrame, 'number' | 'isCreation'> {
  code: Uint8Array | undefined
  /** A ring of the last positions. */
  readonly ring: number[]
  steps: number
  readonly jumps: number[]
  /** The frame inside that failed last, and the moment of its call. */
  failed:
    | { chain: readonly FailedFrame[]; output: Hex; last: readonly number[]; jumps: number }
    | undefined
}

/** Positions that are kept, so that one of them has a source. */
const RING = 128
/** Positions of JUMP opcodes that are kept of all open frames. */
const MOST_JUMPS = 200_000
/** Maximum number of frames in the answer: the innermost ones of the failure. */
const MOST_FRAMES = 50
/** Bytes of a position in JSON. */
const POSITION_SIZE = 6

/** The frames through which a failure came to the transaction, outermost first. */
export class FailureTracer implements Tracer {
  readonly #budget: TraceBudget
  readonly #open: OpenFrame[] = []
  #count = 0
  #jumps = 0
  #chain: readonly FailedFrame[] = []

  constructor(budget: TraceBudget) {
    this.#budget = budget
  }

  enter({ type }: { readonly type: string }): void {
    const caller = this.#open.at(-1)
    // A later failure without data cannot be attributed to this frame.
    if (caller?.failed?.output === '0x') caller.failed = undefined
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    const empty = { code: undefined, ring: [], steps: 0, jumps: [], failed: undefined }
    this.#open.push({ number: this.#count++, isCreation, ...empty })
  }

  visit({ pc, opcode, state }: Pick<Step, 'pc' | 'opcode' | 'state'>): void {
    const frame = this.#open.at(-1)
    if (frame === undefined) return
    frame.code ??= state.code
    frame.ring[frame.steps++ % RING] = pc
    if (opcode === Op.jump && this.#jumps++ < MOST_JUMPS) frame.jumps.push(pc)
  }

  exit({ halt, output }: FrameEnd): void {
    const frame = this.#open.pop()
    if (frame === undefined) throw new Error('A frame ended without having begun')
    const { number, isCreation, failed, jumps } = frame
    const isCut = this.#jumps > MOST_JUMPS
    if (!isCut) this.#jumps -= jumps.length
    if (halt === undefined) return
    const own = toHex(output)
    const isPassedOn = failed !== undefined && halt === 'revert' && isIn(failed.output, own)
    const at = isPassedOn ? failed : { last: lastOf(frame), jumps: jumps.length, chain: [] }
    const code = toHex(frame.code ?? new Uint8Array())
    const told = { last: at.last, jumps: isCut ? null : jumps.slice(0, at.jumps) }
    const chain = [{ number, code, isCreation, ...told }, ...at.chain].slice(-MOST_FRAMES)
    const caller = this.#open.at(-1)
    if (caller === undefined) this.#chain = chain
    else caller.failed = { chain, output: own, last: lastOf(caller), jumps: caller.jumps.length }
  }

  *result() {
    for (const { code, last, jumps } of this.#chain) {
      this.#budget.spend(code.length + POSITION_SIZE * (last.length + (jumps?.length ?? 0)))
    }
    return yield* stringifyJson(this.#chain)
  }
}

function lastOf({ ring, steps }: OpenFrame): readonly number[] {
  const oldest = steps < RING ? 0 : steps % RING
  return [...ring.slice(oldest), ...ring.slice(0, oldest)]
}

/** True if a frame failed with the data of another one, or with that inside of its own. */
function isIn(inner: Hex, outer: Hex): boolean {
  return inner === outer || (inner.length >= 10 && outer.includes(inner.slice(2)))
}
