import type { PendingView } from '../../chain/pendingView.ts'
import { describeMissing, findBlock } from '../../json/resolveBlock.ts'
import type { TraceConfig } from '../../json/schemas/traceConfig.ts'
import type { Options } from '../../options/options.ts'
import { RefusedError } from '../../primitives/errors.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import type { BlockReference } from '../../protocol/blockReference.ts'
import type { TraceOptions } from '../../tracing/traceRun.ts'
import type { RpcContext } from '../context.ts'

/** There is no such block. The `debug_` methods have geth's code for it, -32000, instead of that of the state methods. */
export class DebugBlockNotFoundError extends RefusedError {
  override name = 'DebugBlockNotFoundError'
  constructor(reference: string) {
    super(`block not found: ${reference}`)
  }
}

/**
 * The block that a `debug_` method is asked for.
 *
 * @param find - as of `requireBlock`. Default: {@link findBlock}
 * @throws {DebugBlockNotFoundError}
 */
export function debugBlock(
  context: Pick<RpcContext, 'chain' | 'options'>,
  reference?: BlockReference,
  find: typeof findBlock = findBlock,
): SealedBlock | PendingView {
  const block = find(context, reference)
  if (block !== undefined) return block
  throw new DebugBlockNotFoundError(describeMissing(context, reference ?? { tag: 'latest' }))
}

/** What is traced for a request, and what bounds it. */
export function traceLimits(
  { tracer, timeout }: TraceConfig,
  options: Options,
  signal: AbortSignal,
): TraceOptions {
  return { tracer, timeout, maxSize: options.maxTraceSize, signal }
}
