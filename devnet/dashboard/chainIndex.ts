import { isContinued, type PendingView } from '../chain/building/pendingView.ts'
import type { Chain } from '../chain/chain.ts'
import type { History } from '../chain/history.ts'
import { Scheduler } from '../engine/scheduler.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { addressHex, addressKeysIn } from '../state/keys.ts'

interface Place {
  readonly block: SealedBlock
  /** Position of its first transaction. */
  readonly first: number
}

/** A contract that a transaction created. */
export interface Creation {
  readonly address: Hex
  readonly block: number
}

/** An executed transaction with its position. */
export interface Positioned {
  readonly position: number
  readonly block: SealedBlock | PendingView
  readonly executed: ExecutedTransaction
}

/** ms for which the index takes in blocks without a pause. */
const SLICE = 2

/** Number of transactions of the pending block that are taken in between two looks at the clock. */
const BATCH = 1000

/** Number of remembered contracts whose block is not kept any more. */
const MOST_CREATIONS = 1000

/**
 * The executed transactions of a chain by their position: 0 is the oldest. Holds the blocks that
 * have transactions, so that a page of any of them costs a binary search; takes in new blocks when
 * it is asked.
 */
export class ChainIndex {
  readonly #chain: Chain
  #history: History
  #places: Place[] = []
  /** Index of the oldest place that was not dropped. */
  #oldest = 0
  #creations: Creation[] = []
  /** The creations of the pending block, as far as it was taken in. */
  #unsealed: { readonly view: PendingView; readonly end: number; readonly list: Creation[] }
  /** Number and hash of the newest block that was taken in. */
  #head: { readonly number: number; readonly hash: Hex } | undefined

  constructor(chain: Chain) {
    this.#chain = chain
    this.#history = chain.history
    this.#unsealed = { view: chain.pending, end: 0, list: [] }
  }

  /**
   * Takes in what is new, in slices. Use the index in the turn of the event loop in which it comes.
   *
   * @throws {ExecutionAbortedError} if the client hangs up
   */
  async sync(signal?: AbortSignal): Promise<void> {
    this.#forget()
    const scheduler = new Scheduler({ signal, slice: SLICE })
    while (!this.#isDone()) {
      const pause = scheduler.yieldIfDue()
      if (pause !== undefined) await pause
      // Commands may take back blocks meanwhile.
      this.#forget()
    }
  }

  /** Adds one block, or a part of the pending one. @returns true if nothing is left to add */
  #isDone(): boolean {
    const { head, history, pending } = this.#chain
    if (this.#head?.hash !== head.hash) {
      const next = history.skipReserved(Math.max(this.#next, history.oldest))
      const block = next > head.number ? undefined : history.byNumber(next)
      if (block === undefined) this.#head = head
      else this.#add(block)
      return false
    }
    const { view, end, list } = this.#unsealed
    const known = isContinued(view, pending) ? { end, list } : { end: 0, list: [] }
    const block = { number: Number(pending.environment.number) }
    const added = pending.executed.slice(known.end, known.end + BATCH)
    for (const one of added) known.list.push(...creationsOf(one, block))
    this.#unsealed = { view: pending, end: known.end + added.length, list: known.list }
    return this.#unsealed.end >= pending.executed.length
  }

  get #next(): number {
    return this.#head === undefined ? 0 : this.#head.number + 1
  }

  #add(block: SealedBlock): void {
    this.#head = block
    if (block.executed.length === 0) return
    this.#places.push({ block, first: this.sealedEnd })
    for (const executed of block.executed) this.#creations.push(...creationsOf(executed, block))
  }

  /** Forgets blocks that a command took back, or that are not kept any more. */
  #forget(): void {
    const { history } = this.#chain
    if (history !== this.#history) {
      this.#history = history
      this.#places = []
      this.#creations = []
      this.#oldest = 0
      this.#head = undefined
    }
    if (this.#head !== undefined && !this.#isKept(this.#head)) {
      while (this.#places.length > this.#oldest && !this.#isNewestKept()) this.#places.pop()
      this.#head = this.#places.at(-1)?.block
      const end = this.#head?.number ?? -1
      while ((this.#creations.at(-1)?.block ?? end) > end) this.#creations.pop()
    }
    // Contracts outlive the blocks that created them, but views show the newest only.
    let cut = 0
    const most = this.#creations.length - MOST_CREATIONS
    while (cut < most && (this.#creations[cut]?.block ?? history.oldest) < history.oldest) cut++
    if (cut > MOST_CREATIONS) this.#creations.splice(0, cut)
    while ((this.#places[this.#oldest]?.block.number ?? history.oldest) < history.oldest) {
      this.#oldest++
    }
    // Copies the rest only when half is forgotten, so that pruning takes constant time per item.
    if (this.#oldest > 1024 && this.#oldest > this.#places.length / 2) {
      // Keeps the last place, from which the next positions are counted.
      const cut = Math.min(this.#oldest, this.#places.length - 1)
      this.#places = this.#places.slice(cut)
      this.#oldest -= cut
    }
  }

  #isNewestKept(): boolean {
    const newest = this.#places.at(-1)
    return newest !== undefined && this.#isKept(newest.block)
  }

  #isKept({ number, hash }: { readonly number: number; readonly hash: Hex }): boolean {
    return number < this.#history.oldest || this.#history.byNumber(number)?.hash === hash
  }

  /** The oldest sealed block with transactions. */
  get oldestBlock(): SealedBlock | undefined {
    return this.#places[this.#oldest]?.block
  }

  /** Position of the oldest transaction that is kept. */
  get first(): number {
    return this.#places[this.#oldest]?.first ?? this.sealedEnd
  }

  /** Position after that of the newest sealed transaction. */
  get sealedEnd(): number {
    const newest = this.#places.at(-1)
    return newest === undefined ? 0 : newest.first + newest.block.executed.length
  }

  /** Position after that of the last pre-confirmed transaction. */
  get end(): number {
    return this.sealedEnd + this.#chain.pending.executed.length
  }

  /** The transaction at a position; `undefined` if there is none. */
  at(position: number): Positioned | undefined {
    const { pending } = this.#chain
    if (position >= this.sealedEnd) {
      const executed = pending.executed[position - this.sealedEnd]
      return executed && { position, block: pending, executed }
    }
    const place = this.#places[this.#placeAt(position)]
    const executed = place?.block.executed[position - place.first]
    return place && executed && { position, block: place.block, executed }
  }

  /** Index of the place that holds a position, if one does. */
  #placeAt(position: number): number {
    return this.#search((place) => place.first <= position)
  }

  /** Index of the last place for which `isBefore` is true; it is false for all later places. */
  #search(isBefore: (place: Place) => boolean): number {
    let [low, high] = [this.#oldest - 1, this.#places.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const place = this.#places[middle]
      if (place !== undefined && isBefore(place)) low = middle
      else high = middle - 1
    }
    return low
  }

  /** Position of the first transaction of a block, or of the next block that has any. */
  firstOf(block: SealedBlock | PendingView): number {
    if (!('number' in block)) return this.sealedEnd
    const index = this.#search((place) => place.block.number < block.number)
    return this.#places[index + 1]?.first ?? this.sealedEnd
  }

  /** Blocks with transactions before block `number`, the newest first. */
  *blocksBefore(number: number): Generator<SealedBlock> {
    let index = this.#search(({ block }) => block.number < number)
    for (; index >= this.#oldest; index--) {
      const place = this.#places[index]
      if (place !== undefined) yield place.block
    }
  }

  /** Number of {@link creations}. */
  get creationCount(): number {
    return this.#creations.length + this.#unsealed.list.length
  }

  /** Contracts that were created, newest first, those of the pending block included. */
  *creations(): Generator<Creation> {
    yield* this.#unsealed.list.toReversed()
    for (let index = this.#creations.length - 1; index >= 0; index--) {
      const creation = this.#creations[index]
      if (creation !== undefined) yield creation
    }
  }
}

export function first<Item>(items: Iterable<Item>, most: number): Item[] {
  const list: Item[] = []
  for (const item of items) {
    if (list.length >= most) break
    list.push(item)
  }
  return list
}

function creationsOf(
  { success, contractAddress, innerFrames }: ExecutedTransaction,
  { number: block }: { readonly number: number },
): Creation[] {
  if (!success) return []
  const own = contractAddress === undefined ? [] : [toHex(contractAddress)]
  // Each contract is followed by its creator.
  const inner = addressKeysIn(innerFrames?.created ?? '').filter((_, index) => index % 2 === 0)
  return [...own, ...inner.map(addressHex)].map((address) => ({ address, block }))
}
