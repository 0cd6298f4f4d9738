import type { Tracer } from './tracer.ts'

/** Records nothing; shows what tracing itself costs: geth's `noopTracer`. */
export class NoopTracer implements Tracer {
  result(): string {
    return '{}'
  }
}
