import { ZERO_HASH } from '../primitives/bytes.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { GenesisIdentity } from '../protocol/forkId.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { AddressIndex } from './addressIndex.ts'
import { numberInHash, ReservedRange } from './reservedRange.ts'

interface SealedTransaction {
  readonly block: SealedBlock
  readonly executed: ExecutedTransaction
  /** The places where the same one ran before, if a cheat has lowered its sender's nonce since. */
  readonly earlier: SealedTransaction | undefined
}

/** The sealed blocks, by number, hash and transaction. */
export class History {
  /** Consecutive, oldest first; starts after the genesis block once old blocks were dropped. */
  #parts: (Run | ReservedRange)[]
  /** The last of the parts, in which most look-ups end. */
  #newest: Run | ReservedRange
  readonly addresses = new AddressIndex()
  readonly #byHash = new Map<Hex, SealedBlock>()
  readonly #transactions = new Map<Hex, SealedTransaction>()
  #genesis: GenesisIdentity | undefined
  readonly #droppedHashes: Map<number, Uint8Array>
  readonly #randaoSeed: Uint8Array | undefined

  /**
   * @param oldest - the genesis block, or the oldest block or range that is kept
   * @param dropped - what is known of the blocks before `oldest`: genesis, and hashes by number
   * @param dropped.randaoSeed - see {@link randaoSeed}
   */
  constructor(
    oldest: SealedBlock | ReservedRange,
    dropped: {
      readonly genesis?: GenesisIdentity | undefined
      readonly hashes?: ReadonlyMap<number, Uint8Array>
      readonly randaoSeed?: Uint8Array | undefined
    } = {},
  ) {
    this.#genesis = dropped.genesis
    this.#randaoSeed = dropped.randaoSeed
    this.#droppedHashes = new Map(dropped.hashes)
    this.#newest = oldest instanceof ReservedRange ? oldest : new Run(oldest)
    this.#parts = [this.#newest]
    if (!(oldest instanceof ReservedRange)) this.#index(oldest)
  }

  /** Known even after block 0 was dropped; `undefined` if the node never had block 0. */
  get genesis(): GenesisIdentity | undefined {
    return this.#genesis
  }

  /**
   * 32 bytes that every prevRandao is derived from: the hash of the fork block on a forked chain,
   * else that of the genesis block, if known.
   */
  get randaoSeed(): Uint8Array {
    return this.#randaoSeed ?? randaoSeed(this.#genesis)
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

  /** All blocks that are kept, oldest first; each range is one entry. A copy. */
  entries(): (SealedBlock | ReservedRange)[] {
    return this.#parts.flatMap<SealedBlock | ReservedRange>((part) =>
      part instanceof ReservedRange ? part : part.blocks,
    )
  }

  /** Hashes of up to 256 dropped blocks right before the oldest kept one, by block number. */
  get droppedHashes(): ReadonlyMap<number, Uint8Array> {
    return this.#droppedHashes
  }

  byNumber(number: number): SealedBlock | undefined {
    return this.#partOf(number).at(number)
  }

  /** Hash of a block, even of one dropped recently: BLOCKHASH reaches 256 blocks back. */
  hashOf(number: number): Uint8Array | undefined {
    return this.#partOf(number).hashOf(number) ?? this.#droppedHashes.get(number)
  }

  byHash(hash: Hex): SealedBlock | undefined {
    return this.#byHash.get(hash) ?? this.#reservedByHash(hash)
  }

  /** The first block from `number` on that is not reserved: those that are hold no logs. */
  skipReserved(number: number): number {
    const part = this.#partOf(number)
    const isReserved = part instanceof ReservedRange && number >= part.first && number <= part.last
    return isReserved ? part.last + 1 : number
  }

  /** The first block that {@link addresses} lacks; reserved ones are not missed. */
  get unindexed(): SealedBlock | undefined {
    let number = Math.max(this.addresses.next, this.oldest)
    for (let next = this.skipReserved(number); next !== number; next = this.skipReserved(number)) {
      number = next
    }
    return number > this.head.number ? undefined : this.byNumber(number)
  }

  transaction(hash: Hex): SealedTransaction | undefined {
    return this.#transactions.get(hash)
  }

  push(entry: SealedBlock | ReservedRange): void {
    if (entry instanceof ReservedRange) this.#add(entry)
    else {
      if (this.#newest instanceof Run) this.#newest.blocks.push(entry)
      else this.#add(new Run(entry))
      this.#index(entry)
    }
  }

  /**
   * Forgets the blocks after block `number`, which must be kept.
   *
   * @returns the forgotten blocks, oldest first; each range is one entry
   */
  truncate(number: number): (SealedBlock | ReservedRange)[] {
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
      if (!(entry instanceof ReservedRange)) this.#forgetBlock(entry)
    }
    this.addresses.rewind(number + 1)
    return forgotten
  }

  /**
   * Forgets the blocks before block `number`, but never the newest.
   *
   * @returns whether there were any
   */
  dropBelow(number: number): boolean {
    const { oldest } = this
    const first = Math.min(number, this.head.number)
    if (first <= oldest) return false
    this.#keepHashes(oldest, first)
    const kept = this.#parts.findIndex(({ last }) => last >= first)
    for (const part of this.#parts.splice(0, kept)) {
      if (part instanceof Run) for (const block of part.blocks) this.#forgetBlock(block)
    }
    const [part] = this.#parts
    if (part instanceof Run) {
      for (const block of part.blocks.slice(0, first - part.first)) this.#forgetBlock(block)
      part.blocks = part.blocks.slice(first - part.first)
      part.first = first
    } else if (part !== undefined && part.first < first) {
      const cut = part.part(first, part.last)
      this.#parts[0] = cut
      if (part === this.#newest) this.#newest = cut
    }
    return true
  }

  /** Keeps the hashes that BLOCKHASH can ask for once the blocks before `first` are dropped. */
  #keepHashes(oldest: number, first: number): void {
    for (const number of this.#droppedHashes.keys()) {
      if (number >= first - BLOCKHASH_REACH) break
      this.#droppedHashes.delete(number)
    }
    for (let number = Math.max(oldest, first - BLOCKHASH_REACH); number < first; number++) {
      const hash = this.hashOf(number)
      if (hash !== undefined) this.#droppedHashes.set(number, hash)
    }
  }

  /** The part that the block is in if it is kept. */
  #partOf(number: number): Run | ReservedRange {
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
    const part = this.#partOf(number)
    if (!(part instanceof ReservedRange)) return undefined
    const found = part.hashOf(number)
    return found !== undefined && toHex(found) === hash ? part.at(number) : undefined
  }

  #add(part: Run | ReservedRange): void {
    this.#parts.push(part)
    this.#newest = part
  }

  #index(block: SealedBlock): void {
    if (block.number === 0) {
      this.#genesis = { hash: block.hashBytes, timestamp: block.header.timestamp }
    }
    this.#byHash.set(block.hash, block)
    for (const executed of block.executed) {
      const { hash } = executed.transaction
      this.#transactions.set(hash, { block, executed, earlier: this.#transactions.get(hash) })
    }
  }

  /** To be called from either end of the history on, block by block. */
  #forgetBlock(block: SealedBlock): void {
    this.addresses.forget(block)
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

/** Number of past blocks that the BLOCKHASH opcode can see. */
const BLOCKHASH_REACH = 256

/** See {@link History.randaoSeed}. */
export function randaoSeed(genesis: GenesisIdentity | undefined): Uint8Array {
  return genesis?.hash ?? ZERO_HASH
}

/** Consecutive sealed blocks, oldest first; at least one. */
class Run {
  first: number
  blocks: SealedBlock[]

  constructor(block: SealedBlock) {
    this.first = block.number
    this.blocks = [block]
  }

  get last(): number {
    return this.first + this.blocks.length - 1
  }

  get newest(): SealedBlock {
    const newest = this.blocks.at(-1)
    if (newest === undefined) throw new Error('A run has at least one block')
    return newest
  }

  at(number: number): SealedBlock | undefined {
    return this.blocks[number - this.first]
  }

  hashOf(number: number): Uint8Array | undefined {
    return this.at(number)?.hashBytes
  }
}
