import type { CallFramesConfig } from './callFrames.ts'
import { CallTracer } from './callTracer.ts'
import { type FlatCallConfig, FlatCallTracer } from './flatCallTracer.ts'
import { FourByteTracer } from './fourByteTracer.ts'
import { MuxTracer } from './muxTracer.ts'
import { NoopTracer } from './noopTracer.ts'
import { type PrestateConfig, PrestateTracer } from './prestateTracer.ts'
import { type StructLogConfig, StructLogger } from './structLogger.ts'
import type { TraceBudget } from './traceBudget.ts'
import type { Tracer } from './tracer.ts'

/** A tracer that is asked for, with its options. */
export type TracerChoice =
  | { readonly name: 'structLogger'; readonly config: StructLogConfig }
  | { readonly name: 'callTracer'; readonly config: CallFramesConfig }
  | { readonly name: 'flatCallTracer'; readonly config: FlatCallConfig }
  | { readonly name: 'prestateTracer'; readonly config: PrestateConfig }
  | { readonly name: '4byteTracer' | 'noopTracer' }
  | { readonly name: 'muxTracer'; readonly tracers: readonly TracerChoice[] }

/** A tracer for one transaction. */
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
      return new NoopTracer()
    case 'muxTracer':
      return new MuxTracer(
        new Map(choice.tracers.map((each) => [each.name, createTracer(each, budget)])),
      )
  }
}
