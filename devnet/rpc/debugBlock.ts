import type { SealedBlock } from '../chain/block.ts'
import type { BlockReference } from '../chain/blockReference.ts'
import type { PendingView } from '../chain/pendingView.ts'
import { RefusedError } from '../errors.ts'
import type { RpcContext } from './context.ts'
import { describeMissing, findBlock } from './resolveBlock.ts'

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
