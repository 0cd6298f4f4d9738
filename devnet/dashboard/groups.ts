import type { PendingView } from '../chain/building/pendingView.ts'
import { Scheduler } from '../engine/scheduler.ts'
import type { SealedBlock } from '../protocol/block.ts'
import { headerGasUsed } from '../protocol/blockGas.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { Dashboard } from './dashboard.ts'
import type { SeenTicks } from './seenTicks.ts'
import type { ForeignBlock } from './upstreamBlocks.ts'

/** Number of ticks of a block that the strip shows. */
const STRIP_TICKS = 24

/** ms for which groups are made without a pause. */
const SLICE = 2

/** Number of transactions that are added up between two looks at the clock. */
const BATCH = 1000

export type BlockGroup = Awaited<ReturnType<typeof blockGroup>>

/** Consecutive sealed blocks without transactions. */
export interface EmptyGroup {
  readonly kind: 'empty'
  readonly from: number
  readonly to: number
}

export type StripGroup = BlockGroup | EmptyGroup

/** A sealed block with transactions, or the pending block. */
async function blockGroup(
  block: SealedBlock | PendingView | ForeignBlock,
  seen: SeenTicks,
  scheduler: Scheduler,
) {
  const isPending = 'environment' in block
  const { number, timestamp, gasLimit } = isPending ? block.environment : block.header
  const { ticks, omitted, reverted } = await ticksOf(block, { seen, scheduler, most: STRIP_TICKS })
  return {
    kind: 'block' as const,
    number: Number(number),
    /** `null` while it is pending. */
    hash: isPending ? null : block.hash,
    /** s since the epoch. */
    timestamp: Number(timestamp),
    gasUsed: Number(isPending ? headerGasUsed(block.gas) : block.header.gasUsed),
    gasLimit: Number(gasLimit),
    transactions: 'count' in block ? block.count : block.executed.length,
    reverted,
    /** Ticks that took transactions, oldest first: the last 24 of them. */
    ticks,
    /** Number of older ticks that took transactions, too. */
    earlierTicks: omitted,
  }
}

interface GroupRange {
  /** Only groups before this block. Default: up to the pending block */
  readonly before?: number | undefined
  /** Only groups that reach beyond this block. Default: all that are kept */
  readonly after?: number | undefined
  readonly limit: number
}

/** The blocks to make groups of. They do not change, so the groups show one moment. */
export interface GroupSource {
  /** Oldest first. */
  readonly blocks: readonly (SealedBlock | PendingView | ForeignBlock | EmptyGroup)[]
  /** `before` of the next older groups; `null` if there are none. */
  readonly next: number | null
}

/**
 * The newest groups of a range as they are now. To be called in the turn of the event loop in which
 * the index was brought up to date.
 */
export function groupSource(
  { index, node: { context } }: Dashboard,
  { before, after = -1, limit }: GroupRange,
): GroupSource {
  const { head, history, origin, pending } = context.chain
  // Only the upstream knows what is in the fork block.
  const oldest = Math.max(history.oldest, origin === undefined ? 0 : origin.number + 1)
  const blocks: (SealedBlock | PendingView | EmptyGroup)[] = before === undefined ? [pending] : []
  let cursor = Math.min(before ?? head.number + 1, head.number + 1)
  for (const block of index.blocksBefore(cursor)) {
    if (blocks.length < limit && cursor - 1 > Math.max(block.number, after)) {
      blocks.push({ kind: 'empty', from: block.number + 1, to: cursor - 1 })
      cursor = block.number + 1
    }
    if (blocks.length >= limit || block.number <= after) break
    blocks.push(block)
    cursor = block.number
  }
  const first = index.oldestBlock?.number ?? cursor
  if (blocks.length < limit && cursor <= first && cursor > oldest && cursor - 1 > after) {
    blocks.push({ kind: 'empty', from: oldest, to: cursor - 1 })
    cursor = oldest
  }
  return { blocks: blocks.reverse(), next: cursor > oldest ? cursor : null }
}

/** The groups of a strip, oldest first. */
export async function groupsOf(
  { recorder: { seen } }: Dashboard,
  { blocks, next }: GroupSource,
  signal?: AbortSignal,
) {
  const scheduler = new Scheduler({ signal, slice: SLICE })
  const groups: StripGroup[] = []
  for (const block of blocks) {
    groups.push('kind' in block ? block : await blockGroup(block, seen, scheduler))
  }
  return { groups, next }
}

/** Sums of a tick. */
interface Sums {
  /** Counted from 0 in each block. */
  readonly tick: number
  transactions: number
  reverted: number
  gasUsed: number
  /** Gas of the transactions that reverted. */
  revertedGas: number
}

export interface StripTick extends Readonly<Sums> {
  readonly seen: ReturnType<SeenTicks['at']>
}

/** Running sums of a growing block, so that a push adds only what is new. */
interface Summed {
  readonly ticks: Sums[]
  count: number
  reverted: number
  last: ExecutedTransaction | undefined
}

const summed = new WeakMap<object, Summed>()

interface TicksRequest {
  readonly seen: SeenTicks
  readonly scheduler: Pick<Scheduler, 'yieldIfDue'>
  /** Number of ticks that are listed. */
  readonly most: number
}

export async function ticksOf(
  block: SealedBlock | PendingView | ForeignBlock,
  { seen, scheduler, most }: TicksRequest,
) {
  const isPending = 'environment' in block
  const { executed } = block
  // All views of a pending block share its environment, even if a drop changed its contents.
  const key = isPending ? block.environment : block
  const known = summed.get(key)
  let sums = known !== undefined && isOf(executed, known) ? known : nothingSummed()
  summed.set(key, sums)
  await addUp(sums, executed, scheduler)
  if (!isOf(executed, sums)) {
    // Another request added a different view of the block meanwhile: start anew.
    sums = nothingSummed()
    await addUp(sums, executed, scheduler)
  }
  const number = Number(isPending ? block.environment.number : block.number)
  const shown: readonly StripTick[] = sums.ticks
    .slice(-most)
    .map((tick) => ({ ...tick, seen: seen.at(number, tick.tick) }))
  return {
    /** Those that took transactions, oldest first: the last ones. */
    ticks: shown,
    omitted: sums.ticks.length - shown.length,
    /** Reverted transactions of all ticks. */
    reverted: sums.reverted,
  }
}

function nothingSummed(): Summed {
  return { ticks: [], count: 0, reverted: 0, last: undefined }
}

/** True if all that was added up is at the beginning of a block. */
function isOf(executed: readonly ExecutedTransaction[], { count, last }: Summed): boolean {
  return executed[count - 1] === last
}

/** Adds what a block has more. */
async function addUp(
  sums: Summed,
  executed: readonly ExecutedTransaction[],
  scheduler: TicksRequest['scheduler'],
): Promise<void> {
  while (sums.count < executed.length && isOf(executed, sums)) {
    for (const one of executed.slice(sums.count, sums.count + BATCH)) add(sums, one)
    const pause = scheduler.yieldIfDue()
    if (pause !== undefined) await pause
  }
}

function add(sums: Summed, one: ExecutedTransaction): void {
  const { tick, gasUsed, success } = one
  let last = sums.ticks.at(-1)
  if (last?.tick !== tick) {
    last = { tick, transactions: 0, reverted: 0, gasUsed: 0, revertedGas: 0 }
    sums.ticks.push(last)
  }
  last.transactions++
  last.gasUsed += Number(gasUsed)
  if (!success) {
    sums.reverted++
    last.reverted++
    last.revertedGas += Number(gasUsed)
  }
  sums.count++
  sums.last = one
}
