import type { PendingView } from '../../chain/pendingView.ts'
import { type BlockPlace, isPending, placeOf } from '../../json/blockRef.ts'
import { type FormattedLog, formatLog } from '../../json/formatLog.ts'
import { createLogMatcher, type LogFilter, type LogMatcher } from '../../json/logMatch.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import { quantity } from '../../primitives/hex.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import type { BlockNumberReference } from '../../protocol/blockReference.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
import type { RpcContext } from '../context.ts'
import { isPendingNumber, requireBlock } from './resolveBlock.ts'

type QueryContext = Pick<RpcContext, 'chain' | 'options'>

/** The range ends before it begins: code -32602. */
export class InvalidBlockRangeError extends InvalidParamsError {
  override name = 'InvalidBlockRangeError'
  constructor() {
    super('invalid block range params')
  }
}

/** The range goes on after the newest block: code -32602. */
export class BlockRangeBeyondHeadError extends InvalidParamsError {
  override name = 'BlockRangeBeyondHeadError'
  constructor() {
    super('block range extends beyond current head block')
  }
}

/** More logs than one answer may hold: code -32602. */
export class TooManyLogsError extends InvalidParamsError {
  override name = 'TooManyLogsError'
  constructor(limit: number, hint: string) {
    super(`query exceeds max results ${limit}, ${hint}`)
  }
}

/** Blocks that are looked at in one go before other requests get their turn. */
const BLOCKS_PER_BREATH = 4096

/**
 * The logs that a filter asks for, in the order of the chain. Those of the pending block only where the range ends there:
 * at `pending`, or at the number that pre-confirmed receipts tell.
 *
 * @throws {BlockNotFoundError} {@link InvalidBlockRangeError} {@link BlockRangeBeyondHeadError} {@link TooManyLogsError}
 */
export async function queryLogs(
  context: QueryContext,
  filter: LogFilter,
  signal: AbortSignal,
): Promise<FormattedLog[]> {
  const { chain, options } = context
  const matcher = createLogMatcher(filter, chain.engine.crypto.keccak256)
  const logs: FormattedLog[] = []
  if (filter.blockHash !== undefined) {
    const block = requireBlock(context, { hash: filter.blockHash, requireCanonical: false })
    collectLogs(block, matcher, logs)
    if (logs.length > options.maxLogs) throw tooMany(options.maxLogs)
    return logs
  }
  // Taken before the first breath: a seal meanwhile must not show a log twice or not at all.
  const { first, last, pending } = resolveRange(context, filter)
  for (let number = first; number <= last; number++) {
    const block = chain.history.byNumber(number)
    // A revert, or the limit of kept blocks, has taken it away meanwhile.
    if (block === undefined) continue
    collectLogs(block, matcher, logs)
    if (logs.length > options.maxLogs) throw tooMany(options.maxLogs, first, number - 1)
    if ((number - first) % BLOCKS_PER_BREATH === BLOCKS_PER_BREATH - 1) {
      await new Promise((resolve) => setImmediate(resolve))
      if (signal.aborted) return logs
    }
  }
  if (pending !== undefined) {
    collectLogs(pending, matcher, logs)
    if (logs.length > options.maxLogs) throw tooMany(options.maxLogs, first, last)
  }
  return logs
}

/** Sealed blocks from `first` to `last`, none where `first` is the higher one, then the pending block. */
interface Range {
  readonly first: number
  readonly last: number
  readonly pending: PendingView | undefined
}

function resolveRange(context: QueryContext, { fromBlock, toBlock }: LogFilter): Range {
  const { head, pending } = context.chain
  const next = head.number + 1
  const first = numberOf(context, fromBlock, next)
  const toPending = endsAtPending(context.chain, fromBlock, toBlock)
  const last = toPending ? next : numberOf(context, toBlock, next)
  if (isTag(fromBlock, 'pending') && !toPending) {
    // As on Base: nothing sealed comes after the pending block.
    return { first, last: head.number, pending: undefined }
  }
  if (first > last) throw new InvalidBlockRangeError()
  if (last > head.number && !toPending) throw new BlockRangeBeyondHeadError()
  return { first, last: Math.min(last, head.number), pending: toPending ? pending : undefined }
}

/**
 * Whether the logs of the pending block are asked for: by its tag, or by the number that a pre-confirmed receipt tells. A range
 * that begins there and ends at the newest block by default, as `contract.queryFilter(filter, receipt.blockNumber)` of ethers
 * asks, is not taken for one that ends before it begins.
 */
function endsAtPending(
  chain: QueryContext['chain'],
  fromBlock: BlockNumberReference | undefined,
  toBlock: BlockNumberReference | undefined,
): boolean {
  if (isTag(toBlock, 'pending') || isPendingNumber(chain, toBlock)) return true
  const toLatest = toBlock === undefined || isTag(toBlock, 'latest')
  return toLatest && isPendingNumber(chain, fromBlock)
}

/** @param next - number of the pending block */
function numberOf(
  context: QueryContext,
  reference: BlockNumberReference | undefined,
  next: number,
): number {
  if (reference !== undefined && 'number' in reference && reference.number >= BigInt(next)) {
    return Number(reference.number)
  }
  const block = requireBlock(context, reference)
  return isPending(block) ? next : block.number
}

function isTag(reference: BlockNumberReference | undefined, tag: string): boolean {
  return reference !== undefined && 'tag' in reference && reference.tag === tag
}

/** Adds the logs of `block` that match to `logs`. */
export function collectLogs(
  block: SealedBlock | PendingView,
  matcher: LogMatcher,
  logs: FormattedLog[],
): void {
  if (block.executed.length === 0) return
  if (!matcher.mayMatch(bloomOf(block))) return
  const place = placeOf(block)
  for (const executed of block.executed) collectLogsOf(executed, place, matcher, logs)
}

/** Adds the logs of one transaction that match to `logs`. */
export function collectLogsOf(
  executed: ExecutedTransaction,
  place: BlockPlace,
  matcher: LogMatcher,
  logs: FormattedLog[],
): void {
  if (executed.logs.length === 0 || !matcher.mayMatch(executed.bloom)) return
  for (const [index, log] of executed.logs.entries()) {
    if (matcher.matches(log)) logs.push(formatLog(log, index, executed, place))
  }
}

/** The bloom of all logs in a block, of 256 bytes. */
export function bloomOf(block: SealedBlock | PendingView): Uint8Array {
  return isPending(block) ? block.bloom : block.header.logsBloom
}

/** Names the part of the range that fits, where there is one. */
function tooMany(limit: number, first = 0, lastThatFits = -1): TooManyLogsError {
  const hint =
    lastThatFits >= first
      ? `retry with the range ${quantity(first)}-${quantity(lastThatFits)}`
      : 'retry with addresses or topics in the filter'
  return new TooManyLogsError(limit, hint)
}
