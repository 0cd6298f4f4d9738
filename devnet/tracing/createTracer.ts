import type { Access } from '../engine/accessWatch.ts'
import type { Execution } from '../engine/types.ts'
import { toHex } from '../primitives/hex.ts'
import { stringifyJson } from '../primitives/json.ts'
import type { Paced } from '../primitives/paced.ts'
import { CallTracer, type CallTracerConfig } from './callTracer.ts'
import { type FlatCallConfig, FlatCallTracer } from './flatCallTracer.ts'
import { OtterscanTracer } from './otterscanTracer.ts'
import { type PrestateConfig, PrestateTracer } from './prestateTracer.ts'
import { type StructLogConfig, StructLogger } from './structLogger.ts'
import type {
  Frame,
  FrameEnd,
  TraceBudget,
  TraceContext,
  TracedLog,
  Tracer,
  TraceStep,
} from './tracer.ts'

/** A tracer with its options. */
export type TracerChoice =
  | { readonly name: 'structLogger'; readonly config: StructLogConfig }
  | { readonly name: 'callTracer'; readonly config: CallTracerConfig }
  | { readonly name: 'flatCallTracer'; readonly config: FlatCallConfig }
  | { readonly name: 'prestateTracer'; readonly config: PrestateConfig }
  | { readonly name: '4byteTracer' | 'noopTracer' }
  | { readonly name: 'muxTracer'; readonly tracers: readonly TracerChoice[] }
  /** Of the `ots_` methods; no request names it. */
  | { readonly name: 'otterscan'; readonly list: 'frames' | 'operations' }

/** Creates a tracer for one transaction. */
export function createTracer(choice: TracerChoice, budget: TraceBudget): Tracer {
  switch (choice.name) {
    case 'structLogger':
      return new StructLogger(choice.config, budget)
    case 'callTracer':
      return new CallTracer(choice.config, budget)
    case 'flatCallTracer':
      return new FlatCallTracer(choice.config, budget)
    case 'prestateTracer':
      return new PrestateTracer(choice.config, budget)
    case '4byteTracer':
      return new FourByteTracer(budget)
    case 'noopTracer':
      // Records nothing, to measure the overhead of tracing itself.
      return { result: () => stringifyJson({}) }
    case 'otterscan':
      return new OtterscanTracer(choice.list, budget)
    case 'muxTracer':
      return new MuxTracer(
        new Map(choice.tracers.map((each) => [each.name, createTracer(each, budget)])),
      )
  }
}

/** Approximate bytes of an entry in JSON. */
const ENTRY_SIZE = 30

/**
 * Counts calls by function selector and bytes of arguments, e.g. `0xa9059cbb-64`: geth's
 * `4byteTracer`.
 */
class FourByteTracer implements Tracer {
  readonly #budget: TraceBudget
  readonly #counts = new Map<string, number>()
  #context: TraceContext | undefined

  constructor(budget: TraceBudget) {
    this.#budget = budget
  }

  start(context: TraceContext): void {
    this.#context = context
  }

  enter({ type, input, to }: Frame): void {
    if (input.length < 4 || to === undefined) return
    if (type === 'CREATE' || type === 'CREATE2' || type === 'SELFDESTRUCT') return
    if (this.#context?.isPrecompile(to) === true) return
    const key = `${toHex(input.subarray(0, 4))}-${input.length - 4}`
    const count = this.#counts.get(key)
    if (count === undefined) this.#budget.spend(ENTRY_SIZE)
    this.#counts.set(key, (count ?? 0) + 1)
  }

  result(): Paced<string[]> {
    return stringifyJson(Object.fromEntries(this.#counts))
  }
}

/** Several tracers over one execution, with their results by name: geth's `muxTracer`. */
class MuxTracer implements Tracer {
  readonly step?: (step: TraceStep) => void
  readonly isLight: boolean
  readonly #tracers: ReadonlyMap<string, Tracer>

  constructor(tracers: ReadonlyMap<string, Tracer>) {
    this.#tracers = tracers
    this.isLight = [...tracers.values()].every(({ isLight }) => isLight === true)
    const stepped = [...tracers.values()].filter((tracer) => tracer.step !== undefined)
    // Reporting steps is expensive, so `step` exists only if one of the tracers uses it.
    if (stepped.length > 0) {
      this.step = (step) => {
        for (const tracer of stepped) tracer.step?.(step)
      }
    }
  }

  start(context: TraceContext): void {
    for (const tracer of this.#tracers.values()) tracer.start?.(context)
  }

  access(access: Access): void {
    for (const tracer of this.#tracers.values()) tracer.access?.(access)
  }

  undoAccess(): void {
    for (const tracer of this.#tracers.values()) tracer.undoAccess?.()
  }

  enter(frame: Frame): void {
    for (const tracer of this.#tracers.values()) tracer.enter?.(frame)
  }

  exit(end: FrameEnd): void {
    for (const tracer of this.#tracers.values()) tracer.exit?.(end)
  }

  log(log: TracedLog): void {
    for (const tracer of this.#tracers.values()) tracer.log?.(log)
  }

  end(execution: Execution): void {
    for (const tracer of this.#tracers.values()) tracer.end?.(execution)
  }

  *result(): Paced<string[]> {
    const pieces: string[] = []
    for (const [name, tracer] of this.#tracers) {
      pieces.push(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`)
      for (const piece of yield* tracer.result()) pieces.push(piece)
    }
    return pieces.length === 0 ? ['{}'] : [...pieces, '}']
  }
}
