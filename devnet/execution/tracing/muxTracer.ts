import type { Execution } from '../../engine/executor.ts'
import type { Frame, FrameEnd, TraceContext, TracedLog, Tracer, TraceStep } from './tracer.ts'

/** Several tracers over one execution; their results by their names: geth's `muxTracer`. */
export class MuxTracer implements Tracer {
  readonly step?: (step: TraceStep) => void
  readonly #tracers: ReadonlyMap<string, Tracer>

  constructor(tracers: ReadonlyMap<string, Tracer>) {
    this.#tracers = tracers
    const stepped = [...tracers.values()].filter((tracer) => tracer.step !== undefined)
    // Steps cost something even where nobody looks at them.
    if (stepped.length > 0) {
      this.step = (step) => {
        for (const tracer of stepped) tracer.step?.(step)
      }
    }
  }

  start(context: TraceContext): void {
    for (const tracer of this.#tracers.values()) tracer.start?.(context)
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

  result(): string {
    const parts = [...this.#tracers].map(
      ([name, tracer]) => `${JSON.stringify(name)}:${tracer.result()}`,
    )
    return `{${parts.join(',')}}`
  }
}
