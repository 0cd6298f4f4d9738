import type { PendingView } from '../../chain/building/pendingView.ts'
import { describeMissing, findBlock } from '../../json/resolveBlock.ts'
import type { TraceConfig } from '../../json/schemas/traceConfig.ts'
import type { Options } from '../../options/options.ts'
import { RefusedError } from '../../primitives/errors.ts'
import type { JsonText } from '../../primitives/jsonText.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import type { BlockReference } from '../../protocol/blockReference.ts'
import { traceBlock } from '../../tracing/traceBlock.ts'
import type { TracedBlock } from '../../tracing/tracedBlock.ts'
import type { TraceOptions } from '../../tracing/traceRun.ts'
import type { RpcContext } from '../context.ts'

/**
 * The block that a request of a `debug_` method names.
 *
 * @param find - looks the block up. Default: {@link findBlock}
 * @throws {RefusedError} if there is no such block
 */
export function debugBlock(
  context: Pick<RpcContext, 'chain' | 'options'>,
  reference?: BlockReference,
  find: typeof findBlock = findBlock,
): SealedBlock | PendingView {
  const block = find(context, reference)
  if (block !== undefined) return block
  // As in geth, `debug_` methods have another error code than methods that read the state.
  throw new RefusedError(
    `block not found: ${describeMissing(context, reference ?? { tag: 'latest' })}`,
  )
}

/**
 * As {@link debugBlock}, to be encoded.
 *
 * @throws {RefusedError} if there is no such block, or it is reserved: the encoding would have
 * another hash
 */
export function encodableBlock(
  context: Pick<RpcContext, 'chain' | 'options'>,
  reference: BlockReference,
): SealedBlock | PendingView {
  const block = debugBlock(context, reference)
  if (!('isReserved' in block)) return block
  throw new RefusedError(
    `block ${block.number} was reserved by a command for many empty blocks, so that its hash is not that of its header: commands for at most 256 blocks seal each of them`,
  )
}

/** Traces all transactions of a block, as JSON. */
export async function traceBlockText(
  { chain, options }: RpcContext,
  block: TracedBlock,
  config: TraceConfig,
  signal: AbortSignal,
): Promise<JsonText> {
  return traceBlock(chain, block, traceLimits(config, options, signal))
}

/** The options of a trace: the tracer and timeout of the request, the size limit of the node. */
export function traceLimits(
  { tracer, timeout }: TraceConfig,
  options: Options,
  signal: AbortSignal,
): TraceOptions {
  return { tracer, timeout, maxSize: options.maxTraceSize, signal }
}
