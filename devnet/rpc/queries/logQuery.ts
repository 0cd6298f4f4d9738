import type { PendingView } from '../../chain/building/pendingView.ts'
import { Scheduler } from '../../engine/scheduler.ts'
import { blockRefOf, isPending } from '../../json/blockRef.ts'
import {
  bloomOf,
  createLogMatcher,
  invalidBlockRange,
  type LogFilter,
  type LogMatcher,
  matchingLogs,
  TooManyLogsError,
} from '../../json/logMatch.ts'
import {
  type BlockContext,
  describeMissing,
  isPendingNumber,
  type RemoteLogQuery,
  requireBlock,
  seenPending,
} from '../../json/resolveBlock.ts'
import { blockNotFound, InvalidParamsError } from '../../primitives/errors.ts'
import { JsonText } from '../../primitives/jsonText.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import { type BlockNumberReference, isPendingTag } from '../../protocol/blockReference.ts'

/**
 * The logs that match a filter, in chain order, as JSON text. Those of the pending block are
 * included only if the range ends there: at `pending`, or at the block number in pre-confirmed
 * receipts. Yields regularly.
 *
 * @throws {DevnetError} if a block that the filter names does not exist
 * @throws {ExecutionAbortedError} if the client hangs up
 * @throws {InvalidParamsError} if the range ends before it begins
 * @throws {InvalidParamsError} if the range ends after the newest block
 * @throws {TooManyLogsError}
 */
export async function queryLogs(
  context: BlockContext,
  filter: LogFilter,
  signal: AbortSignal,
): Promise<JsonText> {
  const { chain, options } = context
  const border = context.fork?.border
  const matcher = createLogMatcher(filter, chain.engine.crypto.keccak256)
  const search = new LogSearch(matcher, options.maxLogs, signal)
  const fromUpstream = (blocks: RemoteLogQuery['blocks']) =>
    border?.logs({ criteria: filter, blocks, most: options.maxLogs, signal })
  if (filter.blockHash !== undefined) {
    const { blockHash: hash } = filter
    const logs = await fromUpstream({ hash })
    if (logs !== undefined) {
      await search.addTexts(logs)
      return search.result()
    }
    const block = requireBlock(context, { hash, requireCanonical: false })
    if (!(await search.add(block))) throw new TooManyLogsError(options.maxLogs)
    return search.result()
  }
  // The range is resolved once, so that a seal meanwhile neither repeats nor hides a log.
  const { first, last, pending } = resolveRange(context, filter)
  const { history } = chain
  let next = first
  if (border !== undefined && first <= border.last) {
    next = border.last + 1
    if (last > border.last && history.oldest > next) {
      throw blockNotFound(describeMissing(context, { number: BigInt(next) }))
    }
    const logs = await fromUpstream({ first, last: Math.min(last, border.last) })
    await search.addTexts(logs ?? [])
  }
  for (let number = next; number <= last; number = history.skipReserved(number + 1)) {
    const block = history.byNumber(number)
    // A revert or --keep-blocks has dropped the block meanwhile.
    if (block === undefined) continue
    if (!(await search.add(block))) {
      throw new TooManyLogsError(options.maxLogs, first, number - 1)
    }
  }
  if (pending !== undefined && !(await search.add(pending))) {
    throw new TooManyLogsError(options.maxLogs, first, last)
  }
  return search.result()
}

/** Collects the matching logs of one block after the other. */
class LogSearch {
  readonly #matcher: LogMatcher
  readonly #most: number
  readonly #scheduler = new Scheduler()
  /** JSON text of the logs. An answer encoded at its end would hold the event loop for long. */
  readonly #texts: string[] = []

  constructor(matcher: LogMatcher, most: number, signal: AbortSignal) {
    this.#matcher = matcher
    this.#most = most
    this.#scheduler.begin({ signal })
  }

  /** Searches a block; resolves with false as soon as there are too many logs. */
  async add(block: SealedBlock | PendingView): Promise<boolean> {
    const pause = this.#scheduler.yieldIfDue()
    if (pause !== undefined) await pause
    if (block.executed.length === 0 || !this.#matcher.mayMatch(bloomOf(block))) return true
    const ref = blockRefOf(block)
    for (const executed of block.executed) {
      for (const log of matchingLogs(executed, ref, this.#matcher)) {
        if (this.#texts.length >= this.#most) return false
        this.#texts.push(JSON.stringify(log))
        const pause = this.#scheduler.yieldIfDue()
        if (pause !== undefined) await pause
      }
      const pause = this.#scheduler.yieldIfDue()
      if (pause !== undefined) await pause
    }
    return true
  }

  /** Takes logs that are complete, within the limit. */
  async addTexts(logs: readonly unknown[]): Promise<void> {
    for (const log of logs) {
      this.#texts.push(JSON.stringify(log))
      const pause = this.#scheduler.yieldIfDue()
      if (pause !== undefined) await pause
    }
  }

  result(): JsonText {
    return new JsonText(`[${this.#texts.join(',')}]`)
  }
}

/**
 * A filter with its default end: `pending` with the option `readOwnWrites`, so that it finds the
 * logs of what was sent before; otherwise `latest`. For a request that sees nothing pre-confirmed,
 * `pending` becomes `latest`.
 */
export function withDefaultEnd(
  filter: LogFilter,
  { options, sight }: Pick<BlockContext, 'options' | 'sight'>,
): LogFilter {
  const { blockHash, fromBlock, toBlock } = filter
  if (sight?.isAware === false) {
    return { ...filter, fromBlock: sealedOf(fromBlock), toBlock: sealedOf(toBlock) }
  }
  const isOpen = blockHash === undefined && toBlock === undefined
  // In instant mode, `latest` holds whatever was sent, as on Hardhat's own network.
  const toPending = options.readOwnWrites && !options.instant
  return toPending && isOpen ? { ...filter, toBlock: { tag: 'pending' } } : filter
}

function sealedOf(reference: BlockNumberReference | undefined): BlockNumberReference | undefined {
  return isPendingTag(reference) ? { tag: 'latest' } : reference
}

/** True if a filter begins or ends at `pending`. */
export function touchesPending(
  filter: LogFilter,
  context: Pick<BlockContext, 'options' | 'sight'>,
): boolean {
  const { fromBlock, toBlock } = withDefaultEnd(filter, context)
  return isPendingTag(toBlock) || isPendingTag(fromBlock)
}

/** The sealed blocks from `first` to `last`, or none if `first` is higher, then `pending`. */
function resolveRange(context: BlockContext, { fromBlock, toBlock }: LogFilter) {
  const { head } = context.chain
  const pending = seenPending(context)
  const next = head.number + 1
  const first = isPendingTag(fromBlock) ? next : numberOf(context, fromBlock, next)
  const toPending = endsAtPending(context, fromBlock, toBlock)
  const last = toPending ? next : numberOf(context, toBlock, next)
  if (isPendingTag(fromBlock) && !toPending) {
    // The range is empty, as on Base: no sealed block comes after the pending one.
    return { first, last: head.number, pending: undefined }
  }
  if (first > last) throw invalidBlockRange()
  if (last > head.number && !toPending) {
    throw new InvalidParamsError('block range extends beyond current head block')
  }
  return { first, last: Math.min(last, head.number), pending: toPending ? pending : undefined }
}

/**
 * True if a range ends at the pending block: by its tag, or by the number in pre-confirmed
 * receipts. True also for a range from that number to `latest`, the default, as in ethers'
 * `contract.queryFilter(filter, receipt.blockNumber)`.
 */
function endsAtPending(
  context: BlockContext,
  fromBlock: BlockNumberReference | undefined,
  toBlock: BlockNumberReference | undefined,
): boolean {
  if (isPendingTag(toBlock) || isPendingNumber(context, toBlock)) return true
  const toLatest = toBlock === undefined || isLatest(toBlock)
  return toLatest && isPendingNumber(context, fromBlock)
}

/** @param next - number of the pending block */
function numberOf(
  context: BlockContext,
  reference: BlockNumberReference | undefined,
  next: number,
): number {
  if (reference !== undefined && 'number' in reference && reference.number >= BigInt(next)) {
    return Number(reference.number)
  }
  const border = context.fork?.border
  const number = border?.numberOf(reference)
  if (border !== undefined && number !== undefined && number <= border.last) return number
  const block = requireBlock(context, reference)
  return isPending(block) ? next : block.number
}

function isLatest(reference: BlockNumberReference): boolean {
  return 'tag' in reference && reference.tag === 'latest'
}
