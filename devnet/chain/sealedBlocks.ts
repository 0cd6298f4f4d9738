import { type Hex, toHex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { numberInHash, ReservedRange } from './reservedRange.ts'

export interface SealedTransaction {
  readonly block: SealedBlock
  readonly executed: ExecutedTransaction
  /** The places where the same one ran before, if a cheat has lowered its sender's nonce since. */
  readonly earlier: SealedTransaction | undefined
}

/** A sealed block, or a range of reserved ones. */
export type Entry = SealedBlock | ReservedRange

/** Consecutive sealed blocks, by number, hash and transaction; at least one. */
export class SealedBlocks {
  #parts: (Run | ReservedRange)[]
  /** The last of the parts, in which most look-ups end. */
  #newest: Run | ReservedRange
  readonly #byHash = new Map<Hex, SealedBlock>()
  readonly #transactions = new Map<Hex, SealedTransaction>()
  /** True if a branch reads them: they may be added to, and nothing else. */
  isShared = false
  /** The newest block that a branch reads, or a copy of these blocks; -1: none does. */
  #sharedUntil = -1

  /** @param isKnown - true if the transactions of `first` are found elsewhere. Default: false */
  constructor(first: Entry, isKnown = false) {
    this.#newest = first instanceof ReservedRange ? first : new Run([first])
    this.#parts = [this.#newest]
    if (first instanceof ReservedRange) return
    if (isKnown) this.#byHash.set(first.hash, first)
    else this.#index(first)
  }

  /** To be called before a branch reads them. */
  share(): void {
    this.isShared = true
    this.#sharedUntil = this.head.number
  }

  /** The same blocks, which no branch reads. */
  copy(): SealedBlocks {
    const copy = new SealedBlocks(this.head, true)
    copy.#parts = this.#parts.map((part) => (part instanceof Run ? part.copy() : part))
    copy.#newest = copy.#parts.at(-1) ?? copy.#newest
    for (const [hash, block] of this.#byHash) copy.#byHash.set(hash, block)
    for (const [hash, found] of this.#transactions) copy.#transactions.set(hash, found)
    copy.#sharedUntil = this.#sharedUntil
    return copy
  }

  get head(): SealedBlock {
    return this.#newest.newest
  }

  /** The range whose last block is the newest one, if that is reserved. */
  get newestRange(): ReservedRange | undefined {
    return this.#newest instanceof ReservedRange ? this.#newest : undefined
  }

  get oldest(): number {
    return this.#parts[0]?.first ?? 0
  }

  /** Those from `first` to `last`, oldest first. */
  entries(first: number, last: number): Entry[] {
    return this.#parts.flatMap<Entry>((part) => {
      const from = Math.max(first, part.first)
      const until = Math.min(last, part.last)
      if (from > until) return []
      if (part instanceof Run) return part.blocks.slice(from - part.first, until - part.first + 1)
      return from === part.first && until === part.last ? part : part.part(from, until)
    })
  }

  byNumber(number: number): SealedBlock | undefined {
    return this.partOf(number).at(number)
  }

  byHash(hash: Hex): SealedBlock | undefined {
    return this.#byHash.get(hash) ?? this.#reservedByHash(hash)
  }

  transaction(hash: Hex): SealedTransaction | undefined {
    return this.#transactions.get(hash)
  }

  push(entry: Entry): void {
    if (entry instanceof ReservedRange) this.#add(entry)
    else {
      if (this.#newest instanceof Run) this.#newest.blocks.push(entry)
      else this.#add(new Run([entry]))
      this.#index(entry)
    }
  }

  /**
   * Forgets the blocks after block `number`, which must be here.
   *
   * @returns the forgotten ones, oldest first
   */
  truncate(number: number): Entry[] {
    const parts: (readonly SealedBlock[] | ReservedRange)[] = []
    while (this.#newest.first > number) {
      const part = this.#parts.pop()
      if (part !== undefined) parts.push(part instanceof Run ? part.blocks : part)
      const newest = this.#parts.at(-1)
      if (newest === undefined) throw new Error(`Block ${number} is not kept`)
      this.#newest = newest
    }
    const part = this.#newest
    if (part instanceof Run) parts.push(part.blocks.splice(number - part.first + 1))
    else if (number < part.last) {
      parts.push(part.part(number + 1, part.last))
      this.#parts.pop()
      this.#add(part.part(part.first, number))
    }
    const forgotten = parts.reverse().flat()
    for (const entry of forgotten.toReversed()) {
      if (!(entry instanceof ReservedRange)) this.#forget(entry)
    }
    return forgotten
  }

  /** Replaces the newest block by a copy if a branch has it, too: cheats change its version. */
  unshareHead(): void {
    const { head } = this
    if (head.number > this.#sharedUntil) return
    this.#sharedUntil = head.number - 1
    const part = this.#newest
    if (part instanceof ReservedRange) {
      this.#parts.pop()
      this.#add(part.copy())
      return
    }
    const block = { ...head }
    part.blocks[part.blocks.length - 1] = block
    this.#byHash.set(block.hash, block)
    for (const { transaction } of block.executed) {
      const found = this.#transactions.get(transaction.hash)
      if (found?.block === head) this.#transactions.set(transaction.hash, { ...found, block })
    }
  }

  /** Forgets the blocks before block `number`, which must be here. @returns the forgotten ones */
  dropBelow(number: number): SealedBlock[] {
    const forgotten: SealedBlock[] = []
    const kept = this.#parts.findIndex(({ last }) => last >= number)
    for (const part of this.#parts.splice(0, kept)) {
      if (part instanceof Run) forgotten.push(...part.blocks)
    }
    const [part] = this.#parts
    if (part instanceof Run) {
      forgotten.push(...part.blocks.splice(0, number - part.first))
      part.first = number
    } else if (part !== undefined && part.first < number) {
      const cut = part.part(number, part.last)
      this.#parts[0] = cut
      if (part === this.#newest) this.#newest = cut
    }
    for (const block of forgotten) this.#forget(block)
    return forgotten
  }

  /** The part that the block is in if it is here. */
  partOf(number: number): Run | ReservedRange {
    if (number >= this.#newest.first) return this.#newest
    let [low, high] = [0, this.#parts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#parts[middle]?.first ?? 0) <= number) low = middle
      else high = middle - 1
    }
    return this.#parts[low] ?? this.#newest
  }

  /** Finds a reserved block by the number in its hash. */
  #reservedByHash(hash: Hex): SealedBlock | undefined {
    // Ordinary chains have one part.
    if (this.#parts.length === 1 && this.#newest instanceof Run) return undefined
    const number = numberInHash(hash)
    const part = this.partOf(number)
    if (!(part instanceof ReservedRange)) return undefined
    const found = part.hashOf(number)
    return found !== undefined && toHex(found) === hash ? part.at(number) : undefined
  }

  #add(part: Run | ReservedRange): void {
    this.#parts.push(part)
    this.#newest = part
  }

  #index(block: SealedBlock): void {
    this.#byHash.set(block.hash, block)
    for (const executed of block.executed) {
      const { hash } = executed.transaction
      this.#transactions.set(hash, { block, executed, earlier: this.#transactions.get(hash) })
    }
  }

  /** To be called from either end on, block by block. */
  #forget(block: SealedBlock): void {
    this.#byHash.delete(block.hash)
    for (const { transaction } of block.executed) {
      const found = this.#transactions.get(transaction.hash)
      const rest = found && without(found, block)
      if (rest === undefined) this.#transactions.delete(transaction.hash)
      else this.#transactions.set(transaction.hash, rest)
    }
  }
}

/** The places of a transaction without those in a block. */
function without(found: SealedTransaction, block: SealedBlock): SealedTransaction | undefined {
  const earlier = found.earlier && without(found.earlier, block)
  return found.block === block ? earlier : { ...found, earlier }
}

/** Consecutive sealed blocks, oldest first; at least one. */
class Run {
  first: number
  readonly blocks: SealedBlock[]

  constructor(blocks: SealedBlock[]) {
    this.first = blocks[0]?.number ?? 0
    this.blocks = blocks
  }

  get last(): number {
    return this.first + this.blocks.length - 1
  }

  get newest(): SealedBlock {
    const newest = this.blocks.at(-1)
    if (newest === undefined) throw new Error('A run of blocks must not be empty')
    return newest
  }

  at(number: number): SealedBlock | undefined {
    return this.blocks[number - this.first]
  }

  hashOf(number: number): Uint8Array | undefined {
    return this.at(number)?.hashBytes
  }

  copy(): Run {
    return new Run(this.blocks.slice())
  }
}
