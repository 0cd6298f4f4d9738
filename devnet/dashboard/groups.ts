import type { PendingView } from '../chain/building/pendingView.ts'
import { Scheduler } from '../engine/scheduler.ts'
import type { SealedBlock } from '../protocol/block.ts'
import { headerGasUsed } from '../protocol/blockGas.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type {
  BlockGroup,
  EmptyGroup,
  StripAnswer,
  StripGroup,
  StripTick,
} from './apiTypes/blockTypes.ts'
import type { Dashboard } from './dashboard.ts'
import type { SeenTicks } from './seenTicks.ts'
import type { ForeignBlock } from './upstreamBlocks.ts'

/** Number of ticks of a block that the strip shows. */
const STRIP_TICKS = 24

/** ms for which groups are made without a pause. */
const SLICE = 2

/** Number of transactions that are added up between two looks at the clock. */
const BATCH = 1000

async function blockGroup(
  block: SealedBlock | PendingView | ForeignBlock,
  seen: SeenTicks,
  scheduler: Scheduler,
): Promise<BlockGroup> {
  const isPending = 'environment' in block
  const { number, timestamp, gasLimit } = isPending ? block.environment : block.header
  const { ticks, omitted, reverted } = await ticksOf(block, { seen, scheduler, most: STRIP_TICKS })
  return {
    kind: 'block',
    number: Number(number),
    hash: isPending ? null : block.hash,
    timestamp: Number(timestamp),
    gasUsed: Number(isPending ? headerGasUsed(block.gas) : block.header.gasUsed),
    gasLimit: Number(gasLimit),
    transactions: 'count' in block ? block.count : block.executed.length,
    reverted,
    ticks,
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
  /** As in the answer of `strip`. */
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
): Promise<StripAnswer> {
  const scheduler = new Scheduler({ signal, slice: SLICE })
  const groups: StripGroup[] = []
  for (const block of blocks) {
    groups.push('kind' in block ? block : await blockGroup(block, seen, scheduler))
  }
  return { groups, next }
}

type Sums = { -readonly [Name in keyof StripTick]: StripTick[Name] }

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

interface Ticks {
  /** The last ticks that took transactions, oldest first. */
  readonly ticks: readonly StripTick[]
  readonly omitted: number
  /** Reverted transactions of all ticks. */
  readonly reverted: number
}

export async function ticksOf(
  block: SealedBlock | PendingView | ForeignBlock,
  { seen, scheduler, most }: TicksRequest,
): Promise<Ticks> {
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
  const ticks = sums.ticks.slice(-most)
  return {
    ticks: ticks.map((tick) => ({ ...tick, seen: seen.at(number, tick.tick) })),
    omitted: sums.ticks.length - ticks.length,
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
    last = { tick, transactions: 0, reverted: 0, gasUsed: 0, revertedGas: 0, seen: null }
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
