import type { TraceOptions } from '../execution/tracing/traceRun.ts'
import type { Options } from '../options.ts'
import type { TraceConfig } from './schemas/traceConfig.ts'

/** What is traced for a request, and what bounds it. */
export function traceLimits(
  { tracer, timeout }: TraceConfig,
  options: Options,
  signal: AbortSignal,
): TraceOptions {
  return { tracer, timeout, maxSize: options.maxTraceSize, signal }
}
