import type { SealedBlock } from '../protocol/block.ts'
import type { InnerFrames } from '../protocol/receipt.ts'
import { type ExecutedTransaction, UNRECORDED_FRAMES } from '../protocol/receipt.ts'
import { addressKey, addressKeysIn } from '../state/keys.ts'
import type { AddressKey } from '../state/types.ts'

/** A sealed transaction in which an address occurs. */
export interface Occurrence {
  readonly block: SealedBlock
  readonly executed: ExecutedTransaction
}

/** Some of the transactions in which an address occurs: always all of a block. */
export interface OccurrencePage {
  /** Newest first. */
  readonly found: readonly Occurrence[]
  readonly isNewest: boolean
  /** True if there are none older. */
  readonly isOldest: boolean
}

/**
 * The sealed transactions in which each address occurs: as sender, recipient or created contract,
 * or in an inner frame. A search adds the blocks, so a chain that nobody explores has none; the
 * history takes out those that it forgets.
 */
export class AddressIndex {
  readonly #lists = new Map<AddressKey, OccurrenceList>()
  /** Inner frames of transactions that another node executed. */
  readonly #replayed = new WeakMap<ExecutedTransaction, InnerFrames>()
  #next = 0

  /** Number of the first block that it lacks. */
  get next(): number {
    return this.#next
  }

  /** @param replayed - inner frames of each transaction, if they were not recorded */
  add(block: SealedBlock, replayed: readonly (InnerFrames | undefined)[] = []): void {
    this.#next = block.number + 1
    for (const [index, executed] of block.executed.entries()) {
      const frames = replayed[index]
      if (frames !== undefined) this.#replayed.set(executed, frames)
      const occurrence = { block, executed }
      for (const address of this.#addressesOf(executed)) {
        const list = this.#lists.get(address)
        if (list === undefined) this.#lists.set(address, new OccurrenceList(occurrence))
        else list.add(occurrence)
      }
    }
  }

  /** Takes out the oldest or the newest block, if it is there. */
  forget(block: SealedBlock): void {
    if (block.number >= this.#next) return
    for (const executed of block.executed) {
      for (const address of this.#addressesOf(executed)) {
        if (this.#lists.get(address)?.forget(block) === 0) this.#lists.delete(address)
      }
    }
  }

  /** Makes block `number` the next one, if it is not later. */
  rewind(number: number): void {
    this.#next = Math.min(this.#next, number)
  }

  /** Transactions in blocks below `end`, from the newest on: as many blocks as have `least`. */
  before(address: AddressKey, end: number, least: number): OccurrencePage {
    return this.#lists.get(address)?.before(end, least) ?? NOTHING
  }

  /** As {@link before}, in blocks from `begin` on, from the oldest on. */
  from(address: AddressKey, begin: number, least: number): OccurrencePage {
    return this.#lists.get(address)?.from(begin, least) ?? NOTHING
  }

  /** The newest transaction that created a contract at this address, and who created it in that. */
  creation(address: AddressKey): { hash: string; creator: AddressKey } | undefined {
    for (const { executed } of this.#lists.get(address)?.newestFirst() ?? []) {
      const creator = this.#creatorIn(executed, address)
      if (creator !== undefined) return { hash: executed.transaction.hash, creator }
    }
    return undefined
  }

  #creatorIn(executed: ExecutedTransaction, address: AddressKey): AddressKey | undefined {
    const { success, contractAddress, transaction } = executed
    if (!success) return undefined
    if (contractAddress !== undefined && addressKey(contractAddress) === address) {
      return transaction.senderKey
    }
    const created = this.#innerFrames(executed)?.created ?? ''
    if (!created.includes(address)) return undefined
    // Each contract is followed by its creator.
    const keys = addressKeysIn(created)
    return keys.find((_, index) => index % 2 === 1 && keys[index - 1] === address)
  }

  #addressesOf(executed: ExecutedTransaction): AddressKey[] {
    const { transaction, contractAddress } = executed
    const recipient = transaction.to ?? contractAddress ?? transaction.from
    const touched = this.#innerFrames(executed)?.touched ?? ''
    return [transaction.senderKey, addressKey(recipient), ...addressKeysIn(touched)]
  }

  #innerFrames(executed: ExecutedTransaction): InnerFrames | undefined {
    const { innerFrames } = executed
    return innerFrames === UNRECORDED_FRAMES ? this.#replayed.get(executed) : innerFrames
  }
}

const NOTHING: OccurrencePage = { found: [], isNewest: true, isOldest: true }

/** The transactions in which one address occurs, oldest first. */
class OccurrenceList {
  #all: Occurrence[]
  /** Index of the first occurrence that is not forgotten. */
  #first = 0

  constructor(occurrence: Occurrence) {
    this.#all = [occurrence]
  }

  add(occurrence: Occurrence): void {
    // A transfer to oneself occurs once.
    if (this.#all.at(-1) !== occurrence) this.#all.push(occurrence)
  }

  /** Takes out the oldest or the newest block. @returns how many transactions are left */
  forget(block: SealedBlock): number {
    const all = this.#all
    while (all.length > this.#first && all.at(-1)?.block === block) all.pop()
    while (this.#first < all.length && all[this.#first]?.block === block) this.#first++
    // Copies the rest only when half is forgotten, so that pruning takes constant time per item.
    if (this.#first > all.length / 2) {
      this.#all = all.slice(this.#first)
      this.#first = 0
    }
    return this.#all.length - this.#first
  }

  *newestFirst(): Generator<Occurrence> {
    for (let at = this.#all.length - 1; at >= this.#first; at--) yield this.#at(at)
  }

  before(number: number, least: number): OccurrencePage {
    const end = this.#firstFrom(number)
    let begin = end
    while (begin > this.#first && end - begin < least) {
      begin = this.#firstFrom(this.#at(begin - 1).block.number)
    }
    return this.#page(begin, end)
  }

  from(number: number, least: number): OccurrencePage {
    const begin = this.#firstFrom(number)
    let end = begin
    while (end < this.#all.length && end - begin < least) {
      end = this.#firstFrom(this.#at(end).block.number + 1)
    }
    return this.#page(begin, end)
  }

  #page(begin: number, end: number): OccurrencePage {
    return {
      found: this.#all.slice(begin, end).reverse(),
      isNewest: end === this.#all.length,
      isOldest: begin === this.#first,
    }
  }

  /** Index of the first transaction in block `number` or a later one. */
  #firstFrom(number: number): number {
    let [low, high] = [this.#first, this.#all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#at(middle).block.number < number) low = middle + 1
      else high = middle
    }
    return low
  }

  #at(index: number): Occurrence {
    const occurrence = this.#all[index]
    if (occurrence === undefined) throw new Error(`There is no occurrence ${index}`)
    return occurrence
  }
}
