import type { EndedFrame, FrameHook, OpenedFrame } from '../engine/fast/hooks.ts'
import { failureMessage } from '../execution/failureMessage.ts'
import { EMPTY_BYTES, textToBytes } from '../primitives/bytes.ts'
import type { Halt } from '../protocol/halt.ts'
import { hasImmediate } from '../protocol/opcodes.ts'
import type { RawLog } from '../protocol/receipt.ts'
import type { Frame, TraceContext, Tracer } from './tracer.ts'

interface OpenFrame {
  readonly to: Uint8Array
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
  /** False if no frame was opened, or if geth's message for a failure depends on its steps. */
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
    const frame = this.#frameOf(opened)
    const { to } = frame
    if (this.#open.length === 0) this.isExplained = true
    this.#open.push({ to, logCount: this.#logCount })
    this.#tracer.enter?.(creates(opened) ? { ...frame, to: undefined } : frame)
  }

  leave(ended: EndedFrame): void {
    const { failure: halt, gasUsed, output } = ended
    const frame = this.#open.pop()
    if (frame === undefined) throw new Error('A frame ended without having begun')
    const opcode = ended.opcode()
    if (halt !== undefined) {
      this.#logCount = frame.logCount
      // geth's words for an excluded immediate contain the immediate.
      const isKnown = opcode !== undefined && !hasImmediate(opcode)
      const isPrecompile = !creates(ended) && this.#isPrecompile(frame.to)
      if (halt !== 'revert' && !isKnown && !isPrecompile) this.isExplained = false
    }
    this.#tracer.exit?.({
      depth: this.#open.length,
      output: output(),
      gasUsed: BigInt(gasUsed),
      error: errorOf(halt, opcode),
      halt,
      created: creates(ended) ? frame.to : undefined,
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

  #frameOf({ kind, from, to, value, gas, input }: OpenedFrame): Frame & Pick<OpenFrame, 'to'> {
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

function creates({ kind }: Pick<OpenedFrame, 'kind'>): boolean {
  return kind === 'CREATE' || kind === 'CREATE2'
}

/** geth's words, without the reason of a revert, which tracers tell apart. */
function errorOf(failure: Halt | undefined, invalidOpcode?: number): string | undefined {
  return failure && failureMessage({ failure, invalidOpcode, returnData: EMPTY_BYTES })
}
