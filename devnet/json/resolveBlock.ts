import type { Chain } from '../chain/chain.ts'
import type { PendingView } from '../chain/pendingView.ts'
import type { Options } from '../options/options.ts'
import { BlockNotFoundError } from '../primitives/errors.ts'
import { type Hex, quantity } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { BlockReference } from '../protocol/blockReference.ts'
import type { StateReader } from '../state/types.ts'
import { isPending, PENDING_HASH } from './blockRef.ts'
import type { LogCriteria } from './logMatch.ts'

/** The blocks of a forked chain that are its upstream's. */
export interface RemoteBlocks {
  /** Number of the fork block, which is the last of them. */
  readonly last: number
  /**
   * The logs in these blocks that match, in the order of the chain, as the upstream shows them;
   * `undefined` if the block that is named by its hash is none of them.
   *
   * @param most - maximum number of logs
   * @throws {DevnetError} what the upstream answers
   * @throws {TooManyLogsError}
   * @throws {UpstreamError} if the upstream does not answer
   */
  logs(query: RemoteLogQuery): Promise<readonly unknown[] | undefined>
  /** As {@link findBlock}, but the number alone, which needs no block here. */
  numberOf(reference: BlockReference | undefined): number | undefined
}

/** Logs of one block, or of a range of blocks. */
export interface RemoteLogQuery {
  readonly criteria: LogCriteria
  readonly blocks: { readonly hash: Hex } | { readonly first: number; readonly last: number }
  /** Maximum number of logs. */
  readonly most: number
  /** Gives up when it aborts. Default: never */
  readonly signal?: AbortSignal | undefined
}

/** Chain and options that block references are resolved against. */
export interface BlockContext {
  readonly chain: Chain
  readonly options: Options
  /** What `pending` means instead of the pending block of the chain. */
  readonly preview?: PendingView | undefined
  /** `undefined` if the chain is not forked. */
  readonly border?: RemoteBlocks | undefined
}

/** What `pending` means in a request. */
export function pendingBlock({
  chain,
  preview,
}: Pick<BlockContext, 'preview'> & { readonly chain: Pick<Chain, 'pending'> }): PendingView {
  return preview ?? chain.pending
}

const LATEST: BlockReference = { tag: 'latest' }

/**
 * The block that a request names; `undefined` if there is none.
 *
 * The number of the pending block does not find it: a client polling for block N+1, its receipts or
 * its transaction count would mistake the unfinished, hashless block for a sealed one. Base and
 * geth answer `null`, too. The tag `pending` finds it, and so does the block hash in pre-confirmed
 * receipts: see {@link findByHash}.
 *
 * @param reference - default: latest
 */
export function findBlock(
  context: BlockContext,
  reference: BlockReference = LATEST,
): SealedBlock | PendingView | undefined {
  const { chain, options } = context
  const { history } = chain
  if ('hash' in reference) return findByHash(chain, reference.hash)
  if ('number' in reference) return history.byNumber(Number(reference.number))
  switch (reference.tag) {
    case 'latest':
      return chain.head
    case 'pending':
      return pendingBlock(context)
    case 'earliest':
      return history.byNumber(history.oldest)
    case 'safe':
      return behindHead(chain, options.safeDepth)
    case 'finalized':
      return behindHead(chain, options.finalizedDepth)
  }
}

/** Finds a block by its hash; 32 zero bytes, as in pre-confirmed receipts, mean the pending one. */
export function findByHash(
  chain: Pick<Chain, 'history' | 'pending'>,
  hash: Hex,
): SealedBlock | PendingView | undefined {
  return hash === PENDING_HASH ? preconfirmedBlock(chain) : chain.history.byHash(hash)
}

/**
 * As {@link findBlock}, but the block number in pre-confirmed receipts finds the pending block. For
 * state, calls, logs and transactions by index: clients request them with the block number that
 * they found in a receipt.
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
 * Whether a reference is the number of the pending block, and the block has a pre-confirmed
 * transaction, whose receipt shows that number. Without one, clients cannot know the block yet.
 */
export function isPendingNumber(
  chain: Pick<Chain, 'pending'>,
  reference: BlockReference | undefined,
): boolean {
  if (reference === undefined || !('number' in reference)) return false
  return reference.number === preconfirmedBlock(chain)?.environment.number
}

/** The pending block; `undefined` while it has no transaction. */
function preconfirmedBlock({ pending }: Pick<Chain, 'pending'>): PendingView | undefined {
  return pending.executed.length > 0 ? pending : undefined
}

/**
 * The block that a request names.
 *
 * @param find - pass {@link findBlock} if the number of the pending block must not find it.
 * Default: {@link findNamedBlock}
 * @throws {BlockNotFoundError} if there is none
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
 * The state after the block that a request names. Read it at once, before the chain changes.
 *
 * @param reference - default: latest
 * @throws {BlockNotFoundError}
 */
export function stateAt(context: BlockContext, reference?: BlockReference): StateReader {
  const block = requireBlock(context, reference)
  return isPending(block) ? block.state : context.chain.store.view(block.version)
}

/** The block as the request named it, and why it is missing if it was dropped. */
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

function behindHead(chain: Chain, depth: number): SealedBlock | undefined {
  const { head, history, firstHead } = chain
  if (depth === 0) return head
  return history.byNumber(Math.max(head.number - depth, history.oldest, firstHead))
}
