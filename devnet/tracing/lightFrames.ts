import type { EndedFrame, FrameHook, OpenedFrame } from '../engine/fast/hooks.ts'
import { failureMessage } from '../execution/failureMessage.ts'
import { EMPTY_BYTES, textToBytes } from '../primitives/bytes.ts'
import type { Halt } from '../protocol/halt.ts'
import { hasImmediate } from '../protocol/opcodes.ts'
import type { RawLog } from '../protocol/receipt.ts'
import type { Frame, TraceContext, Tracer } from './tracer.ts'

interface OpenFrame {
  readonly to: Uint8Array
  readonly isCreation: boolean
  readonly isPrecompile: boolean
  /** Number of logs in the block when the frame opened; restored if the frame fails. */
  readonly logCount: number
}

/** Reports frames and logs of the fast engine to a tracer, as geth would. */
export class LightFrames implements FrameHook {
  readonly hearsOutermost = true
  readonly #tracer: Tracer
  readonly #isPrecompile: TraceContext['isPrecompile']
  readonly #open: OpenFrame[] = []
  #logCount: number
  /** False if there is no frame, or geth's words for the failure of one follow from its steps. */
  isExplained = false

  constructor(
    tracer: Tracer,
    { logCount, isPrecompile }: Pick<TraceContext, 'logCount' | 'isPrecompile'>,
  ) {
    this.#tracer = tracer
    this.#isPrecompile = isPrecompile
    this.#logCount = logCount
  }

  enter(opened: OpenedFrame): void {
    const { kind } = opened
    const frame = this.#frameOf(opened)
    const to = textToBytes(opened.to)
    const isCreation = kind === 'CREATE' || kind === 'CREATE2'
    const calls = !isCreation && kind !== 'SELFDESTRUCT'
    const isPrecompile = calls && this.#isPrecompile(to)
    if (this.#open.length === 0) this.isExplained = true
    this.#open.push({ to, isCreation, isPrecompile, logCount: this.#logCount })
    this.#tracer.enter?.({ ...frame, to: isCreation ? undefined : to })
  }

  leave({ failure: halt, opcode, gasUsed, output }: EndedFrame): void {
    const frame = this.#open.pop()
    if (frame === undefined) throw new Error('A frame ended that never began')
    if (halt !== undefined) {
      this.#logCount = frame.logCount
      // geth's words for an excluded immediate contain the immediate.
      const isKnown = opcode !== undefined && !hasImmediate(opcode)
      if (halt !== 'revert' && !isKnown && !frame.isPrecompile) this.isExplained = false
    }
    this.#tracer.exit?.({
      depth: this.#open.length,
      output: output(),
      gasUsed: BigInt(gasUsed),
      error: errorOf(halt, opcode),
      halt,
      created: frame.isCreation ? frame.to : undefined,
    })
  }

  refuse(opened: OpenedFrame, halt: Halt): void {
    const frame = this.#frameOf(opened)
    const { depth } = frame
    this.#tracer.enter?.(frame)
    const nothing = { output: EMPTY_BYTES, gasUsed: 0n, created: undefined }
    this.#tracer.exit?.({ ...nothing, depth, halt, error: errorOf(halt) })
  }

  log([address, topics, data]: RawLog): void {
    const depth = this.#open.length - 1
    this.#tracer.log?.({ depth, address, topics, data, index: this.#logCount++ })
  }

  #frameOf({ kind, from, to, value, gas, input }: OpenedFrame): Frame {
    return {
      type: kind,
      depth: this.#open.length,
      from: textToBytes(from),
      to: textToBytes(to),
      input: input(),
      gas: BigInt(gas),
      value: kind === 'STATICCALL' ? undefined : value,
    }
  }
}

/** geth's words, without the reason of a revert, which tracers tell apart. */
function errorOf(failure: Halt | undefined, invalidOpcode?: number): string | undefined {
  return failure && failureMessage({ failure, invalidOpcode, returnData: EMPTY_BYTES })
}
