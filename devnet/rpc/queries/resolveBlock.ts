import type { PendingView } from '../../chain/pendingView.ts'
import { isPending, PENDING_HASH } from '../../json/blockRef.ts'
import { BlockNotFoundError } from '../../primitives/errors.ts'
import { type Hex, quantity } from '../../primitives/hex.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import type { BlockReference } from '../../protocol/blockReference.ts'
import type { StateReader } from '../../state/types.ts'
import type { RpcContext } from '../context.ts'

type BlockContext = Pick<RpcContext, 'chain' | 'options'>

const LATEST: BlockReference = { tag: 'latest' }

/**
 * The block that a request names; `undefined` where there is none. Not the pending block by its number: who asks for
 * block N+1 itself, its receipts or its count wants to know whether it is sealed (indexers ask so again and again), and would take a
 * block that is not whole and has no hash for the sealed one. Base and geth answer `null`, too. Its tag finds it, and so does
 * the hash of pre-confirmed receipts: see {@link findByHash}.
 *
 * @param reference - default: latest
 */
export function findBlock(
  { chain, options }: BlockContext,
  reference: BlockReference = LATEST,
): SealedBlock | PendingView | undefined {
  const { history } = chain
  if ('hash' in reference) return findByHash(chain, reference.hash)
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

/** The block with this hash. The 32 zero bytes that pre-confirmed receipts have there find the pending block: none is sealed so. */
export function findByHash(
  chain: Pick<RpcContext['chain'], 'history' | 'pending'>,
  hash: Hex,
): SealedBlock | PendingView | undefined {
  return hash === PENDING_HASH ? preconfirmedBlock(chain) : chain.history.byHash(hash)
}

/**
 * As {@link findBlock}, but the number that pre-confirmed receipts tell finds the pending block, too: for what lies in
 * it or follows from it (state, calls, logs, a transaction at its index), which clients ask for by the number of a receipt.
 */
export function findNamedBlock(
  context: BlockContext,
  reference: BlockReference = LATEST,
): SealedBlock | PendingView | undefined {
  return isPendingNumber(context.chain, reference)
    ? context.chain.pending
    : findBlock(context, reference)
}

/**
 * Whether a reference is the number of the pending block, and a receipt has told that number: without a pre-confirmed
 * transaction there is none, and the block is as unknown as any later one.
 */
export function isPendingNumber(
  chain: Pick<RpcContext['chain'], 'pending'>,
  reference: BlockReference | undefined,
): boolean {
  if (reference === undefined || !('number' in reference)) return false
  return reference.number === preconfirmedBlock(chain)?.environment.number
}

/** The pending block where it has a transaction whose receipt can name it. */
function preconfirmedBlock({
  pending,
}: Pick<RpcContext['chain'], 'pending'>): PendingView | undefined {
  return pending.executed.length > 0 ? pending : undefined
}

/**
 * The block that a request names.
 *
 * @param find - {@link findBlock} where the block itself is asked for. Default: {@link findNamedBlock}
 * @throws {BlockNotFoundError} where there is no such block
 */
export function requireBlock(
  context: BlockContext,
  reference: BlockReference = LATEST,
  find: typeof findBlock = findNamedBlock,
): SealedBlock | PendingView {
  const block = find(context, reference)
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
