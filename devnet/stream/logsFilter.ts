import type { PendingView } from '../chain/building/pendingView.ts'
import { blockRefOf, isPending } from '../json/blockRef.ts'
import {
  bloomOf,
  createLogMatcher,
  invalidBlockRange,
  type LogFilter,
  type LogMatcher,
  matchingLogs,
} from '../json/logMatch.ts'
import { timeOf } from '../json/milliseconds.ts'
import type { FormattedLog } from '../json/receiptForm.ts'
import {
  type BlockContext,
  findBlock,
  type RemoteLogQuery,
  requireBlock,
} from '../json/resolveBlock.ts'
import { blockNotFound, RefusedError } from '../primitives/errors.ts'
import { quantity } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import { isPendingTag } from '../protocol/blockReference.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { Filter } from './filters.ts'
import { TakenBack } from './takenBack.ts'

/** Logs of an abandoned block, to be returned. */
interface AbandonedLogs {
  readonly block: SealedBlock
  readonly removed: boolean
  /** Index of the first transaction whose logs are to be returned. */
  next: number
  /** Index behind the last one. */
  readonly end: number
}

/**
 * Returns each log once, in the order of the chain, from `fromBlock` on (default: the next block to
 * be sealed): when it is sealed, or, with `toBlock: "pending"`, as soon as it is pre-confirmed. If
 * a reorganisation takes back their block, they come once more, as removed; so do those that nobody
 * had read by then, as on geth, unless they are more than `maxLogs`, which do not come at all.
 */
export class LogsFilter implements Filter {
  readonly #context: BlockContext
  readonly #asked: LogFilter
  readonly #matcher: LogMatcher
  readonly readsPending: boolean
  /** True if the client named the first block by number or hash, so that no revert moves it. */
  readonly #isPinned: boolean
  /** True if it ends at a block that the newest one may be ahead of: `safe` or `finalized`. */
  readonly #lagsBehind: boolean
  /** True if the logs of the blocks up to the fork block have not been read. */
  #isRemoteNew: boolean
  /** Number of the first block in the range. */
  #first: number
  /** Number of the block to be read next. */
  #number: number
  /** The transactions that block {@link #number} had at the last read. */
  #seen: readonly ExecutedTransaction[] = []
  /** Number of {@link #seen} that have been read. */
  #count = 0
  /**
   * Transactions read, with `toBlock: "pending"`. A revert across seals makes them pre-confirmed
   * again, and their logs must not be returned twice.
   */
  readonly #readPending = new WeakSet<ExecutedTransaction>()
  readonly #takenBack = new TakenBack<AbandonedLogs>()

  /** @throws {DevnetError} @throws {InvalidParamsError} */
  constructor(context: BlockContext, asked: LogFilter) {
    const { chain } = context
    const { blockHash, fromBlock, toBlock } = asked
    this.#context = context
    this.#asked = asked
    this.#matcher = createLogMatcher(asked, chain.engine.crypto.keccak256)
    this.readsPending = isPendingTag(toBlock)
    this.#lagsBehind =
      toBlock !== undefined && 'tag' in toBlock && /^(?:safe|finalized)$/.test(toBlock.tag)
    this.#isPinned = blockHash !== undefined || (fromBlock !== undefined && 'number' in fromBlock)
    this.#first = firstBlock(context, asked)
    this.#number = this.#first
    this.#isRemoteNew = this.#remoteBlocks() !== undefined
    this.#skipRemote()
    if (toBlock !== undefined && 'number' in toBlock && this.#first > Number(toBlock.number)) {
      throw invalidBlockRange()
    }
    if (this.readsPending && fromBlock === undefined) this.#skip(chain.pending.executed)
  }

  changes(signal: AbortSignal): readonly unknown[] | Promise<readonly unknown[]> {
    return this.#isRemoteNew ? this.#allChanges(signal) : this.#ownChanges()
  }

  async #allChanges(signal: AbortSignal): Promise<readonly unknown[]> {
    // Set at once, so that another read meanwhile does not return them, too.
    this.#isRemoteNew = false
    try {
      const older = await this.#remoteLogs(signal)
      return [...older, ...this.#ownChanges()]
    } catch (error) {
      this.#isRemoteNew = true
      throw error
    }
  }

  /** @throws {DevnetError} if the filter names a block by a hash that nobody knows */
  async #remoteLogs(signal: AbortSignal): Promise<readonly unknown[]> {
    const { fork, options } = this.#context
    const border = fork?.border
    const blocks = this.#remoteBlocks()
    if (border === undefined || blocks === undefined) return []
    const logs = await border.logs({
      criteria: this.#asked,
      blocks,
      most: options.maxLogs,
      signal,
    })
    if (logs === undefined && 'hash' in blocks) throw blockNotFound(blocks.hash)
    return logs ?? []
  }

  /** The part of the range up to the fork block; `undefined` if there is none. */
  #remoteBlocks(): RemoteLogQuery['blocks'] | undefined {
    const border = this.#context.fork?.border
    const { blockHash: hash, toBlock } = this.#asked
    if (border === undefined || this.#first > border.last) return undefined
    if (hash !== undefined) return { hash }
    const end = toBlock === undefined ? border.last : border.numberOf(toBlock)
    return { first: this.#first, last: Math.min(end ?? border.last, border.last) }
  }

  #ownChanges(): readonly FormattedLog[] {
    this.follow()
    const { head, history, pending } = this.#context.chain
    const last = this.#lastSealed()
    if (this.#number < history.oldest && this.#number <= last) this.#skipDropped(history.oldest)
    const logs: FormattedLog[] = []
    for (;;) {
      if (!this.#readTakenBack(logs)) return logs
      if (this.#number > last) break
      const block = history.byNumber(this.#number)
      if (block !== undefined && !this.#read(block, logs)) return logs
      this.#goTo(history.skipReserved(this.#number + 1))
    }
    if (this.readsPending && this.#number === head.number + 1) this.#read(pending, logs)
    return logs
  }

  readonly query = (): LogFilter | undefined => {
    this.follow()
    const { head, history } = this.#context.chain
    const { toBlock } = this.#asked
    if (this.#asked.blockHash !== undefined) return this.#asked
    const isRemote = this.#remoteBlocks() !== undefined
    const first = isRemote ? this.#first : Math.max(this.#first, history.oldest)
    const end = this.readsPending ? head.number + 1 : this.#lastSealed()
    if (first > end) return undefined
    const last = this.readsPending ? toBlock : { number: BigInt(end) }
    return { ...this.#asked, fromBlock: { number: BigInt(first) }, toBlock: last }
  }

  follow(): void {
    const { head, pending } = this.#context.chain
    const next = head.number + 1
    this.#takenBack.follow(head.number)
    if (!this.#isPinned && this.#first > next) this.#first = next
    this.#skipRemote()
    const furthest = Math.max(next, this.#first)
    if (this.#number > furthest) this.#goTo(furthest)
    if (this.#number !== next) return
    // A revert may have made this block pending again; if so, read it in full once it is sealed.
    if (this.readsPending) this.#see(pending.executed, this.#countSeen(pending.executed))
    else this.#goTo(next)
  }

  takeBack(blocks: readonly SealedBlock[]): void {
    const all = blocks
      .filter((block) => this.#covers(block) && this.#matcher.mayMatch(bloomOf(block)))
      .map((block) => ({ block, count: this.#countRead(block), end: block.executed.length }))
    const unread = all.map(({ block, count, end }) => ({
      number: block.number,
      item: { block, removed: false, next: count, end },
    }))
    const kept = countUnread([...this.#takenBack.items, ...unread.map(({ item }) => item)])
    // A filter that lags behind has not reported these blocks, and never will.
    const keepsUnread = !this.#lagsBehind && kept <= this.#context.options.maxLogs
    const removed = all
      .map(({ block, count, end }) => ({
        block,
        removed: true,
        next: 0,
        end: keepsUnread ? end : count,
      }))
      .filter(({ end }) => end > 0)
    this.#takenBack.add(this.#context.chain.head.number, keepsUnread ? unread : [], removed)
  }

  #covers({ number, hash }: SealedBlock): boolean {
    const { blockHash, toBlock } = this.#asked
    if (blockHash !== undefined) return hash === blockHash
    const isBeyond = toBlock !== undefined && 'number' in toBlock && number > toBlock.number
    return number >= this.#first && !isBeyond
  }

  /** Number of transactions at the start of a block that have been read. */
  #countRead({ number, executed }: SealedBlock): number {
    if (number !== this.#number) return number < this.#number ? executed.length : 0
    return this.#countSeen(executed)
  }

  /** Moves the position past the fork block, whose logs the upstream has. */
  #skipRemote(): void {
    const border = this.#context.fork?.border
    if (border !== undefined && this.#number <= border.last) this.#goTo(border.last + 1)
  }

  #goTo(number: number): void {
    this.#number = number
    this.#see([], 0)
  }

  #see(executed: readonly ExecutedTransaction[], count: number): void {
    this.#seen = executed
    this.#count = count
  }

  /** Marks all transactions of the block to be read next as read. */
  #skip(executed: readonly ExecutedTransaction[]): void {
    this.#see(executed, executed.length)
    if (!this.readsPending) return
    for (const one of executed) this.#readPending.add(one)
  }

  /** Appends the unread logs of a block; false if there are too many for one read. */
  #read(block: SealedBlock | PendingView, logs: FormattedLog[]): boolean {
    const { executed } = block
    if (!this.#matcher.mayMatch(bloomOf(block))) {
      this.#skip(executed)
      return true
    }
    let count = this.#countSeen(executed)
    const ref = blockRefOf(block)
    for (const one of executed.slice(count)) {
      if (logs.length >= this.#context.options.maxLogs) break
      count++
      if (this.#readPending.has(one)) continue
      for (const log of matchingLogs(one, ref, this.#matcher)) logs.push(log)
      if (this.readsPending) this.#readPending.add(one)
    }
    this.#see(executed, count)
    return count === executed.length
  }

  /**
   * Appends the logs of abandoned blocks that come before the block to be read next; false if there
   * are too many for one read.
   */
  #readTakenBack(logs: FormattedLog[]): boolean {
    for (;;) {
      const item = this.#takenBack.before(this.#number)
      if (item === undefined) return true
      const { block, removed, end } = item
      for (const one of block.executed.slice(item.next, end)) {
        if (logs.length >= this.#context.options.maxLogs) return false
        for (const log of matchingLogs(one, blockRefOf(block), this.#matcher)) {
          const time = timeOf(block)
          logs.push({ ...log, removed, ...(time && { blockTimestampMs: time }) })
        }
        item.next++
      }
      this.#takenBack.next()
    }
  }

  /**
   * Number of transactions at the start of this block that have been read. Not simply {@link
   * #count}: a drop executes the block again, a revert removes transactions, and a fault moves
   * them.
   */
  #countSeen(executed: readonly ExecutedTransaction[]): number {
    if (this.#count > 0 && executed[this.#count - 1] === this.#seen[this.#count - 1]) {
      return this.#count
    }
    const seen = new Set(
      this.#seen.slice(0, this.#count).map(({ transaction }) => transaction.hash),
    )
    const isUnread = (one: ExecutedTransaction) =>
      !seen.has(one.transaction.hash) && !this.#readPending.has(one)
    const unread = executed.findIndex(isUnread)
    const count = unread === -1 ? executed.length : unread
    if (!this.readsPending) return count
    for (const [index, one] of executed.entries()) {
      if (index < count || seen.has(one.transaction.hash)) this.#readPending.add(one)
    }
    return count
  }

  #lastSealed(): number {
    const { chain, fork } = this.#context
    const border = fork?.border
    const { head, history } = chain
    const { blockHash, toBlock } = this.#asked
    if (blockHash !== undefined) return history.byHash(blockHash)?.number ?? -1
    if (toBlock === undefined) return head.number
    if ('number' in toBlock) return Math.min(head.number, Number(toBlock.number))
    if (border !== undefined) return Math.min(head.number, border.numberOf(toBlock) ?? -1)
    const block = findBlock(this.#context, toBlock)
    if (block === undefined) return -1
    return isPending(block) ? head.number : block.number
  }

  /** Skips the blocks that `--keep-blocks` has dropped. @throws {RefusedError} always */
  #skipDropped(oldest: number): never {
    const first = this.#number
    this.#goTo(oldest)
    throw new RefusedError(
      `the logs of the blocks ${quantity(first)} to ${quantity(oldest - 1)} are gone: only the latest ${this.#context.options.keepBlocks} blocks are kept; read the filter more often, or start with a larger --keep-blocks`,
    )
  }
}

/** Number of the logs that are kept although their blocks are gone, whether they match or not. */
function countUnread(all: readonly AbandonedLogs[]): number {
  return all.reduce((sum, { block, removed, next, end }) => {
    if (removed) return sum
    return block.executed.slice(next, end).reduce((more, { logs }) => more + logs.length, sum)
  }, 0)
}

/** Number of the first block in a filter's range. @throws {DevnetError} */
function firstBlock(context: BlockContext, { blockHash, fromBlock }: LogFilter): number {
  const next = context.chain.head.number + 1
  if (blockHash === undefined && fromBlock === undefined) return next
  if (fromBlock !== undefined && 'number' in fromBlock && fromBlock.number >= BigInt(next)) {
    return Number(fromBlock.number)
  }
  const border = context.fork?.border
  const reference =
    blockHash === undefined ? fromBlock : { hash: blockHash, requireCanonical: false }
  if (border !== undefined) {
    const number = border.numberOf(reference)
    // A hash that is not known here may be upstream's.
    if (number === undefined && blockHash !== undefined) return 0
    if (number !== undefined && number <= border.last) return number
  }
  const block = requireBlock(context, reference)
  return isPending(block) ? next : block.number
}
