import type { PendingView } from '../chain/building/pendingView.ts'
import type { Chain, TransactionLocation } from '../chain/chain.ts'
import type { Options } from '../options/options.ts'
import type { Profile } from '../options/profile.ts'
import { blockNotFound } from '../primitives/errors.ts'
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

/**
 * The part of the pending block and the mempool that a request sees in profiles other than `plain`.
 */
interface Sight {
  readonly profile: Profile
  /** True if it sees what is pre-confirmed; otherwise `pending` is `latest`. */
  readonly isAware: boolean
}

/** Chain and options that block references are resolved against. */
export interface BlockContext {
  readonly chain: Chain
  readonly options: Options
  /** The meaning of `pending` if it is not the pending block of the chain. */
  readonly preview?: PendingView | undefined
  /** The part of the chain that the request sees. Default: all, as in profile `plain` */
  readonly sight?: Sight | undefined
  readonly fork?: {
    /** `undefined` if the chain is not forked; a reset changes it. */
    readonly border: RemoteBlocks | undefined
  }
}

/** The pending block as a request sees it; `undefined` if it sees none. */
export function seenPending({ chain, preview, sight }: BlockContext): PendingView | undefined {
  const pending = preview ?? chain.pending
  if (sight === undefined) return pending
  if (!sight.isAware) return undefined
  const isLatest = sight.profile.emptyPending === '`latest`' && pending.executed.length === 0
  return isLatest ? undefined : pending
}

/** The place of a transaction, as far as a request sees it. */
export function seenTransaction(
  { chain, options, sight }: Pick<BlockContext, 'chain' | 'options' | 'sight'>,
  hash: Hex,
): TransactionLocation | undefined {
  return shownPlace(chain.findTransaction(hash), { options, sight })
}

/**
 * The place where a transaction is shown: with `receipts: 'sealed'`, and to requests that know
 * nothing of pre-confirmation, in the mempool until the seal; `undefined` if the request sees it
 * nowhere.
 */
export function shownPlace(
  found: TransactionLocation | undefined,
  { options, sight }: Pick<BlockContext, 'options' | 'sight'>,
): TransactionLocation | undefined {
  const isHidden = options.receipts === 'sealed' || sight?.isAware === false
  const place: TransactionLocation | undefined =
    found?.at === 'pending' && isHidden
      ? { at: 'mempool', transaction: found.executed.transaction, runnable: true }
      : found
  if (sight === undefined || place?.at !== 'mempool') return place
  // L1 makes deposits: no node has one in its mempool.
  const isSeen = sight.profile.mempool !== 'null' && place.transaction.deposit === undefined
  return isSeen ? place : undefined
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
  if ('hash' in reference) return findByHash(context, reference.hash)
  if ('number' in reference) {
    const isWhole = context.sight?.profile.pendingNumber === 'all'
    if (isWhole && isPendingNumber(context, reference)) return chain.pending
    return history.byNumber(Number(reference.number))
  }
  switch (reference.tag) {
    case 'latest':
      return chain.head
    case 'pending':
      return seenPending(context) ?? chain.head
    case 'earliest':
      return history.byNumber(history.oldest)
    case 'safe':
      return behindHead(chain, options.safeDepth)
    case 'finalized':
      return behindHead(chain, options.finalizedDepth)
  }
}

/** Finds a block by its hash; that of pre-confirmed receipts, 32 zero bytes, is the pending one. */
export function findByHash(
  { chain, sight }: Pick<BlockContext, 'chain' | 'sight'>,
  hash: Hex,
): SealedBlock | PendingView | undefined {
  const { hash: shown = PENDING_HASH } = chain.pending
  if (hash !== shown) return chain.history.byHash(hash)
  // A network whose pending block has no hash finds nothing by the zeros in its place.
  const isFound = sight === undefined || (sight.isAware && shown !== PENDING_HASH)
  return isFound ? preconfirmedBlock(chain) : undefined
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
  return isPendingNumber(context, reference) ? context.chain.pending : findBlock(context, reference)
}

/**
 * True if a reference is the number of the pending block, and the block has a pre-confirmed
 * transaction, whose receipt shows that number. Without one, clients cannot know the block yet.
 */
export function isPendingNumber(
  { chain, sight }: Pick<BlockContext, 'chain' | 'sight'>,
  reference: BlockReference | undefined,
): boolean {
  if (reference === undefined || !('number' in reference)) return false
  if (sight !== undefined && !(sight.isAware && sight.profile.pendingNumber !== 'nothing')) {
    return false
  }
  return reference.number === preconfirmedBlock(chain)?.environment.number
}

/** The pending block; `undefined` while it has no transaction. */
function preconfirmedBlock({ pending }: Pick<Chain, 'pending'>): PendingView | undefined {
  return pending.executed.length === 0 ? undefined : pending
}

/**
 * The block that a request names.
 *
 * @param find - pass {@link findBlock} if the number of the pending block must not find it.
 * Default: {@link findNamedBlock}
 * @throws {DevnetError} if there is none
 */
export function requireBlock(
  context: BlockContext,
  reference: BlockReference = LATEST,
  find: typeof findBlock = findNamedBlock,
): SealedBlock | PendingView {
  const block = find(context, reference)
  if (block === undefined) throw blockNotFound(describeMissing(context, reference))
  return block
}

/**
 * The state after the block that a request names. Read it at once, before the chain changes.
 *
 * @param reference - default: latest
 * @throws {DevnetError}
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
