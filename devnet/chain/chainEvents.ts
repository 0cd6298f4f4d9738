import { Listeners } from '../primitives/listeners.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import type { TickResult } from './building/blockBuilder.ts'
import type { PendingView } from './building/pendingView.ts'
import type { Dropped, Undo } from './chainWork.ts'
import { ReservedRange } from './reservedRange.ts'

/** The listeners of each event of a chain. They run within the change that they hear of. */
export type ChainEvents = ReturnType<typeof createChainEvents>

/** The same for readers of the chain, which can add listeners, but not emit events. */
export type ChainEventSources = {
  readonly [Name in keyof ChainEvents]: Pick<ChainEvents[Name], 'add'>
}

/** @param onInternalError - receives what a listener throws */
export function createChainEvents(onInternalError: (error: unknown) => void) {
  const listeners = <Arguments extends readonly unknown[]>() =>
    new Listeners<Arguments>(onInternalError)
  return {
    /** A pending view: after each tick, cheat, seal and undo. */
    published: listeners<[Publication]>(),
    /** A tick that executed transactions. */
    ticked: listeners<[TickReport]>(),
    /** A sealed block, and the ms that sealing took; of a range of reserved blocks the last one. */
    sealed: listeners<[block: SealedBlock, elapsed: number]>(),
    /**
     * The blocks that a reorganisation takes back, oldest first, before it seals others; without
     * reserved blocks, which hold nothing.
     */
    abandoned: listeners<[readonly SealedBlock[]]>(),
    /** A drop, rearrangement, revert, rollback, reorganisation, reset or load. */
    undone: listeners<[Undo]>(),
    /** A transaction that is dropped, whatever the reason. */
    dropped: listeners<[Dropped]>(),
    /** The end of a job on the write queue, also with an error. */
    written: listeners<[]>(),
    /** A transaction that the mempool accepts. */
    admitted: listeners<[ChainTransaction]>(),
    /** A transaction has replaced a waiting one. */
    replaced: listeners<[]>(),
    /** The number of transactions that became runnable when one arrived. */
    runnable: listeners<[count: number]>(),
  }
}

/** True if a listener is running, so that a read cannot wait for the chain. */
export function isEmitting(events: ChainEvents): boolean {
  return Object.values(events).some((listeners) => listeners.emitting)
}

/**
 * Reports a tick that executed transactions.
 *
 * @param shown.start - when it began, as `performance.now()`
 */
export function reportTick(
  { ticked }: ChainEvents,
  { executed, executions }: TickResult,
  { start, ...shown }: Pick<TickReport, 'view' | 'isAtSeal'> & { readonly start: number },
): void {
  if (executed.length === 0) return
  ticked.emit({ ...shown, executed, executions, elapsed: performance.now() - start })
}

/** Reports blocks that were taken back. */
export function reportAbandoned(
  { abandoned }: ChainEvents,
  entries: readonly (SealedBlock | ReservedRange)[],
): void {
  abandoned.emit(entries.flatMap((entry) => (entry instanceof ReservedRange ? [] : entry)))
}

/** A tick that executed transactions. */
export interface TickReport extends TickResult {
  readonly view: PendingView
  /** ms. */
  readonly elapsed: number
  /** True if a fault had the seal take them, so that they were never pre-confirmed. */
  readonly isAtSeal: boolean
}

/** A pending view, as it is shown to readers of `"pending"`. */
export interface Publication {
  readonly view: PendingView
  /** The view that it continues; `undefined` if it is the first of a block, or of another build. */
  readonly before: PendingView | undefined
  /**
   * Number of times that the pending block was opened, or built anew after something was taken
   * back.
   */
  readonly build: number
  /** Number of views of this build that were shown before. */
  readonly index: number
  /** The same without the changes of the state by command. */
  readonly slice: number
  /** Number of slices that this node has shown so far, with this one. */
  readonly total: number
  /** True if it shows a change of the state by command, and no tick. */
  readonly isCheat: boolean
  /** True if it opens the first block of a reorganisation. */
  readonly isReorg: boolean
  /** True if a fault has made it right before the seal, which no network tells of. */
  readonly isAtSeal: boolean
}
