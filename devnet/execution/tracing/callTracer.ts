import type { Execution } from '../../engine/executor.ts'
import { CallFrames, type CallFramesConfig } from './callFrames.ts'
import type { TraceBudget } from './traceBudget.ts'
import type { Frame, FrameEnd, TraceContext, TracedLog, Tracer } from './tracer.ts'

/** The tree of frames, with logs where they are asked for: geth's `callTracer`. */
export class CallTracer implements Tracer {
  readonly #frames: CallFrames

  constructor(config: CallFramesConfig, budget: TraceBudget) {
    this.#frames = new CallFrames(config, budget)
  }

  start(context: TraceContext): void {
    this.#frames.start(context)
  }

  enter(frame: Frame): void {
    this.#frames.enter(frame)
  }

  exit(end: FrameEnd): void {
    this.#frames.exit(end)
  }

  log(log: TracedLog): void {
    this.#frames.log(log)
  }

  end(execution: Execution): void {
    this.#frames.end(execution)
  }

  result(): string {
    return JSON.stringify(this.#frames.root)
  }
}
