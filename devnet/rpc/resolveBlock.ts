import type { SealedBlock } from '../chain/block.ts'
import type { BlockReference } from '../chain/blockReference.ts'
import type { PendingView } from '../chain/pendingView.ts'
import { BlockNotFoundError } from '../errors.ts'
import type { StateReader } from '../state/types.ts'
import type { RpcContext } from './context.ts'
import { isPending } from './format/place.ts'
import { quantity } from './format/quantity.ts'

type BlockContext = Pick<RpcContext, 'chain' | 'options'>

const LATEST: BlockReference = { tag: 'latest' }

/**
 * The block that a request names; `undefined` where there is none. The pending block has no number before it is
 * sealed: only its tag finds it.
 *
 * @param reference - default: latest
 */
export function findBlock(
  { chain, options }: BlockContext,
  reference: BlockReference = LATEST,
): SealedBlock | PendingView | undefined {
  const { history } = chain
  if ('hash' in reference) return history.byHash(reference.hash)
  if ('number' in reference) return history.byNumber(Number(reference.number))
  switch (reference.tag) {
    case 'latest':
      return chain.head
    case 'pending':
      return chain.pending
    case 'earliest':
      return history.byNumber(history.oldest)
    case 'safe':
      return behindHead(chain, options.safeDepth)
    case 'finalized':
      return behindHead(chain, options.finalizedDepth)
  }
}

/** As {@link findBlock}. @throws {BlockNotFoundError} where there is no such block */
export function requireBlock(
  context: BlockContext,
  reference: BlockReference = LATEST,
): SealedBlock | PendingView {
  const block = findBlock(context, reference)
  if (block === undefined) throw new BlockNotFoundError(describeMissing(context, reference))
  return block
}

/**
 * The state after the block that a request names; to be read at once, before the chain changes.
 *
 * @param reference - default: latest
 * @throws {BlockNotFoundError}
 */
export function stateAt(context: BlockContext, reference?: BlockReference): StateReader {
  const block = requireBlock(context, reference)
  return isPending(block) ? block.state : context.chain.store.view(block.version)
}

function behindHead(chain: RpcContext['chain'], depth: number): SealedBlock | undefined {
  const { head, history, firstHead } = chain
  if (depth === 0) return head
  return history.byNumber(Math.max(head.number - depth, history.oldest, firstHead))
}

/** The block as the request named it, with the reason where it was there once. */
export function describeMissing(
  { chain, options }: BlockContext,
  reference: BlockReference,
): string {
  if ('hash' in reference) return reference.hash
  if ('tag' in reference) return reference.tag
  const number = quantity(reference.number)
  return reference.number < BigInt(chain.history.oldest)
    ? `${number}: only the latest ${options.keepBlocks} blocks are kept; start with a larger --keep-blocks, or with 0 to keep all`
    : number
}
