import type { Execution } from '../engine/types.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { InvalidBlockError, requireTrie, type SealedBlock } from '../protocol/block.ts'
import type { BlockContext } from '../protocol/blockContext.ts'
import { headerGasUsed } from '../protocol/blockGas.ts'
import { openEnvironment } from '../protocol/environment.ts'
import type { ForkLimits } from '../protocol/forkSchedule.ts'
import { sharedRules } from '../protocol/forks.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { StateDiff } from '../state/types.ts'
import { addStep, changeSealed, openAgain } from './applyCheat.ts'
import type { TickResult } from './building/blockBuilder.ts'
import { executeListed, type ListedTransactions } from './building/executeListed.ts'
import { isEmptyBlock, type PendingView } from './building/pendingView.ts'
import { sealBlock } from './building/sealing.ts'
import type { ChainState } from './chainState.ts'
import type { Cheat } from './cheats.ts'
import { ReservedRange, reservedHeaders } from './reservedRange.ts'

/** Blocks that a command of the first node has reserved; see {@link ReservedRange}. */
export interface ListedRange {
  readonly first: number
  readonly last: number
  /** ms between the timestamps of two blocks. */
  readonly step: number
}

/** A pending block that the first node has opened, or built anew. */
export interface Opening extends Omit<BlockContext, 'difficulty' | 'blobBaseFee' | 'slotNumber'> {
  readonly parentHash: Hex
  /** 32 bytes. */
  readonly parentBeaconBlockRoot: Uint8Array
  readonly chainId: number
  readonly limits: ForkLimits
  /** The blocks before it, if they were reserved. */
  readonly reserved: ListedRange | undefined
  /** True if it is the first block of a reorganisation. */
  readonly isReorg: boolean
}

/** A change of the state by command on the first node. */
export interface ListedStep {
  /** Transactions of the block before it; 0: it changes the state of the parent. */
  readonly after: number
  readonly diff: StateDiff
  /** `undefined` if it changes the state of the parent. */
  readonly cheat: Cheat | undefined
}

/** Additions of another node to its pending block. */
export interface Slice extends Required<ListedTransactions> {
  /** `undefined`: the slice goes on with the pending block. */
  readonly opening: Opening | undefined
  readonly steps: readonly ListedStep[]
  /** Of the block with the slice. */
  readonly gasUsed: bigint
  readonly receiptsRoot: Hex
}

/** Changes of a slice, and the transactions that a tick of the first node has executed. */
export interface Followed extends TickResult {
  /** The block that it has sealed; of a range of reserved blocks the last. */
  readonly sealed: SealedBlock | undefined
  /** The sealed blocks that it has taken back, oldest first. */
  readonly abandoned: readonly (SealedBlock | ReservedRange)[]
  /** True if it has taken them back in a reorganisation. */
  readonly isReorg: boolean
}

const NO_TICK: TickResult = { executed: [], executions: [] }

/** A pending block before a slice is executed on it. */
interface Base extends Pick<Followed, 'sealed' | 'abandoned' | 'isReorg'> {
  readonly view: PendingView
}

/**
 * Repeats the pending block of another node, slice by slice, and seals it when that node opens the
 * next one. Blocks, receipts and states come from executing the transactions. Its methods run one
 * at a time, on the write queue.
 */
export class Replica {
  readonly #state: ChainState

  constructor(state: ChainState) {
    this.#state = state
  }

  /**
   * Shows what a slice adds.
   *
   * @param isWhole - whether the pending block is as on the other node, so that it can be sealed
   * @param onFollowed - called with what has changed, after it is shown; also before this throws
   * @returns false if the slice builds on a block that is not there; nothing has changed then
   * @throws {InvalidBlockError} if the block cannot hold what the slice adds, or comes to another
   *   result with it, or the block before has another hash here; what was pending stays, but a
   *   block that the slice opens stays empty
   */
  async follow(
    slice: Slice,
    isWhole: boolean,
    onFollowed: (followed: Followed) => void,
  ): Promise<boolean> {
    const state = this.#state
    const { opening, steps } = slice
    const changes = steps.filter(({ after }) => after === 0).map(({ diff }) => diff)
    const base =
      opening === undefined ? this.#extend(changes) : await this.#open(opening, changes, isWhole)
    if (base === undefined) return false
    const { view, ...changed } = base
    try {
      const filled = await this.#fill(view, slice)
      checkOutcome(filled.view, slice)
      const isTick = opening === undefined && steps.length === 0
      const { isReorg } = changed
      state.publish({ ...filled.view, ticks: view.ticks + (isTick ? 1 : 0) }, { isReorg })
      // Transactions that the block had when it opened were not executed by this tick.
      const { executed, executions } = opening === undefined ? filled : NO_TICK
      onFollowed({ executed, executions, ...changed })
    } catch (error) {
      state.store.abandon(view.state.version)
      if (view !== state.pending) state.publish(view, { isReorg: changed.isReorg })
      onFollowed({ ...NO_TICK, ...changed })
      throw error
    }
    return true
  }

  /** Forgets what is pending: the pending block is empty until another one opens. */
  forget(): void {
    const { store, history, pending } = this.#state
    store.abandon(history.head.version)
    this.#state.publish(openAgain(pending, this.#state))
  }

  /** The pending block, behind changes of its parent's state. */
  #extend(changes: readonly StateDiff[]): Base {
    const state = this.#state
    const base = { sealed: undefined, abandoned: [], isReorg: false, view: state.pending }
    if (changes.length === 0) return base
    if (!isEmptyBlock(state.pending)) {
      throw new InvalidBlockError('has transactions, so the state before it is final')
    }
    for (const diff of changes) changeSealed(diff, state)
    return { ...base, view: openAgain(state.pending, state) }
  }

  async #open(
    opening: Opening,
    changes: readonly StateDiff[],
    isWhole: boolean,
  ): Promise<Base | undefined> {
    const state = this.#state
    const { store, history, engine } = state
    const { parentHash, coinbase, gasLimit, chainId, parentBeaconBlockRoot } = opening
    const sealed =
      isWhole && history.byHash(parentHash) === undefined ? await this.#seal(opening) : undefined
    const parent = history.byHash(parentHash)
    // The state of a block may be unknown, as for the oldest ones of an anvil dump.
    if (parent === undefined || parent.trie === undefined) return undefined
    store.abandon(parent.sealedVersion)
    const abandoned = history.truncate(parent.number)
    // Not `parent`: if a range was cut, its newest block is another object.
    const { head } = history
    head.version = head.sealedVersion
    const settings = { ...state.work.settings, coinbase, gasLimit, chainId }
    state.update({ settings, next: {}, cheatDiffs: [] })
    for (const diff of changes) changeSealed(diff, state)
    const scheduled = engine.schedule.at(opening.number, opening.timestamp)
    const rules = sharedRules({ ...scheduled, ...opening.limits })
    const derived = openEnvironment(head, opening, rules)
    const environment = { ...derived, gasLimit, parentBeaconBlockRoot }
    const { isReorg } = opening
    return { sealed, abandoned, isReorg, view: openAgain({ environment, ticks: 0 }, state) }
  }

  /**
   * Seals the pending block, if the one that opens can follow on it.
   *
   * @throws {InvalidBlockError} if it has another hash than on the other node
   */
  async #seal({ parentHash, number, reserved }: Opening): Promise<SealedBlock | undefined> {
    const state = this.#state
    const { pending, history } = state
    const first = reserved === undefined ? number - 1n : BigInt(reserved.first)
    if (pending.environment.number !== first) return undefined
    const entry = reserved === undefined ? await sealBlock(pending, state) : this.#range(reserved)
    const block = entry instanceof ReservedRange ? entry.newest : entry
    if (block.hash !== parentHash) {
      state.store.abandon(pending.state.version)
      throw new InvalidBlockError(`has hash ${block.hash}, expected ${parentHash}`)
    }
    history.push(entry)
    return block
  }

  #range({ first, last, step }: ListedRange): ReservedRange {
    const { head } = this.#state.history
    const headers = reservedHeaders(this.#state, step)
    this.#state.store.abandon(head.version)
    const unchanged = { sealedVersion: head.version, trie: requireTrie(head) }
    return new ReservedRange(headers, { first, last }, unchanged)
  }

  /** Executes transactions and steps in their order, on top of `view`. */
  async #fill(
    view: PendingView,
    { transactions, senders, steps }: Slice,
  ): Promise<TickResult & { readonly view: PendingView }> {
    const state = this.#state
    const executed: ExecutedTransaction[] = []
    const executions: Execution[] = []
    let now = view
    const executeUntil = async (end: number) => {
      const listed = { transactions: transactions.slice(executed.length, end), senders }
      const result = await executeListed(listed, now, state, state.closing.signal)
      executed.push(...result.executed)
      executions.push(...result.executions)
      now = result.view
    }
    for (const { after, diff, cheat } of steps) {
      if (cheat === undefined) continue
      await executeUntil(after - view.executed.length)
      if (now.executed.length !== after) {
        throw new InvalidBlockError(`has no place for a step after ${after} transactions`)
      }
      now = addStep(now, { diff, cheat }, state)
    }
    await executeUntil(transactions.length)
    return { view: now, executed, executions }
  }
}

/** @throws {InvalidBlockError} if the block is another one than on the first node */
function checkOutcome(view: PendingView, { gasUsed, receiptsRoot }: Slice): void {
  const used = headerGasUsed(view.gas)
  if (used !== gasUsed) {
    throw new InvalidBlockError(`has used ${used} gas, expected ${gasUsed}`)
  }
  const root = toHex(view.receipts.rootHash())
  if (root !== receiptsRoot) {
    throw new InvalidBlockError(`has receiptsRoot ${root}, expected ${receiptsRoot}`)
  }
}
