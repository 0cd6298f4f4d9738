import { ZERO_HASH } from '../primitives/bytes.ts'
import type { Hex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { GenesisIdentity } from '../protocol/forkId.ts'
import { AddressIndex } from './addressIndex.ts'
import { ReservedRange } from './reservedRange.ts'
import { type Entry, SealedBlocks, type SealedTransaction } from './sealedBlocks.ts'

/** Blocks of the chain that this one has branched off, up to that place. */
interface Layer {
  readonly blocks: SealedBlocks
  /** Number of the newest block that belongs to this chain, too. */
  readonly until: number
}

/** Facts of the blocks before the oldest that is kept. */
interface DroppedBlocks {
  readonly genesis?: GenesisIdentity | undefined
  /** Hashes of the last ones, by number. */
  readonly hashes?: ReadonlyMap<number, Uint8Array>
  /** See {@link History.randaoSeed}. */
  readonly randaoSeed?: Uint8Array | undefined
}

/** The sealed blocks of a chain. */
export class History {
  #own: SealedBlocks
  /** The layers below, newest first. Whatever lies in several is the chain's in the first. */
  #layers: readonly Layer[] = []
  /** The oldest block that is kept of the layers. */
  #from = 0
  readonly addresses = new AddressIndex()
  #genesis: GenesisIdentity | undefined
  readonly #droppedHashes: Map<number, Uint8Array>
  readonly #randaoSeed: Uint8Array | undefined

  /** @param oldest - the genesis block, or the oldest block or range that is kept */
  constructor(oldest: Entry | SealedBlocks, dropped: DroppedBlocks = {}) {
    this.#genesis = dropped.genesis
    this.#randaoSeed = dropped.randaoSeed
    this.#droppedHashes = new Map(dropped.hashes)
    this.#own = oldest instanceof SealedBlocks ? oldest : new SealedBlocks(oldest)
    if (!(oldest instanceof SealedBlocks)) this.#noteGenesis(oldest)
  }

  /**
   * The history of a branch, which begins with these blocks. What either adds or forgets from now
   * on, the other does not see; the newest block is a copy there.
   */
  branch(): History {
    const { head, newestRange } = this
    this.#own.share()
    const own = new SealedBlocks(newestRange?.copy() ?? { ...head }, true)
    const branch = new History(own, {
      genesis: this.#genesis,
      hashes: this.#droppedHashes,
      randaoSeed: this.#randaoSeed,
    })
    branch.#layers = [{ blocks: this.#own, until: head.number }, ...this.#layers]
    branch.#from = this.oldest
    return branch
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
    return this.#own.head
  }

  /** The range whose last block is the newest one, if that is reserved. */
  get newestRange(): ReservedRange | undefined {
    return this.#own.newestRange
  }

  get oldest(): number {
    return this.#layers.length === 0 ? this.#own.oldest : this.#from
  }

  /** All blocks that are kept, oldest first; each range is one entry. A copy. */
  entries(): Entry[] {
    return this.#entries(this.oldest, this.head.number)
  }

  #entries(first: number, last: number): Entry[] {
    const all: Entry[][] = [this.#own.entries(first, last)]
    let above = this.#own.oldest
    for (const { blocks, until } of this.#layers) {
      all.push(blocks.entries(first, Math.min(last, until, above - 1)))
      above = Math.min(above, blocks.oldest)
    }
    return all.reverse().flat()
  }

  /** Hashes of up to 256 dropped blocks right before the oldest kept one, by block number. */
  get droppedHashes(): ReadonlyMap<number, Uint8Array> {
    return this.#droppedHashes
  }

  byNumber(number: number): SealedBlock | undefined {
    return this.#blocksOf(number)?.byNumber(number)
  }

  /** Hash of a block, even of one dropped recently: BLOCKHASH reaches 256 blocks back. */
  hashOf(number: number): Uint8Array | undefined {
    return this.#blocksOf(number)?.partOf(number).hashOf(number) ?? this.#droppedHashes.get(number)
  }

  byHash(hash: Hex): SealedBlock | undefined {
    const own = this.#own.byHash(hash)
    if (own !== undefined) return own
    for (const { blocks, until } of this.#layers) {
      const found = blocks.byHash(hash)
      if (found !== undefined && found.number <= until) return this.byNumber(found.number)
    }
    return undefined
  }

  /** The first block from `number` on that is not reserved: those that are hold no logs. */
  skipReserved(number: number): number {
    const part = this.#blocksOf(number)?.partOf(number)
    if (!(part instanceof ReservedRange)) return number
    return number >= part.first && number <= part.last ? part.last + 1 : number
  }

  /** The first block that {@link addresses} lacks; reserved ones are not missed. */
  get unindexed(): SealedBlock | undefined {
    let number = Math.max(this.addresses.next, this.oldest)
    for (let next = this.skipReserved(number); next !== number; next = this.skipReserved(number)) {
      number = next
    }
    return number > this.head.number ? undefined : this.byNumber(number)
  }

  transaction(hash: Hex): Omit<SealedTransaction, 'earlier'> | undefined {
    const own = this.#own.transaction(hash)
    if (own !== undefined) return own
    for (const { blocks, until } of this.#layers) {
      let found = blocks.transaction(hash)
      while (found !== undefined && found.block.number > until) found = found.earlier
      if (found === undefined) continue
      // `byNumber` prefers the copy that a higher layer may have of this block.
      const block = this.byNumber(found.block.number)
      if (block !== undefined) return { block, executed: found.executed }
    }
    return undefined
  }

  push(entry: Entry): void {
    this.#noteGenesis(entry)
    this.#own.push(entry)
  }

  #noteGenesis(entry: Entry): void {
    if (entry instanceof ReservedRange || entry.number !== 0) return
    this.#genesis = { hash: entry.hashBytes, timestamp: entry.header.timestamp }
  }

  /**
   * Forgets the blocks after block `number`, which must be kept.
   *
   * @returns the forgotten blocks, oldest first; each range is one entry
   */
  truncate(number: number): Entry[] {
    if (number >= this.head.number) return []
    const before = this.byNumber(number)
    const isBelow = number < this.#own.oldest
    const forgotten = isBelow ? this.#truncateLayers(number) : this.#unshared().truncate(number)
    for (const entry of forgotten.toReversed()) {
      if (!(entry instanceof ReservedRange)) this.addresses.forget(entry)
    }
    this.addresses.rewind(number + 1)
    this.#own.unshareHead()
    if (before !== undefined && before !== this.head) {
      this.addresses.forget(before)
      this.addresses.rewind(number)
    }
    return forgotten
  }

  /** As {@link truncate}, to a block of a layer, of which this chain gets a copy. */
  #truncateLayers(number: number): Entry[] {
    const layers = this.#layers.filter(({ blocks }) => blocks.oldest <= number)
    const [layer, ...rest] = layers
    const part = layer?.blocks.partOf(number)
    const block = part?.at(number)
    if (layer === undefined || block === undefined || number < this.#from) {
      throw new Error(`Block ${number} is not kept`)
    }
    const forgotten = this.#entries(number + 1, this.head.number)
    const isReserved = part instanceof ReservedRange
    const first = Math.max(part?.first ?? 0, this.#from)
    this.#own = new SealedBlocks(
      isReserved ? part.part(first, number).copy() : { ...block },
      !isReserved,
    )
    this.#layers = [{ blocks: layer.blocks, until: number }, ...rest]
    return forgotten
  }

  /** The chain's own blocks; copies them first if a branch shares them. */
  #unshared(): SealedBlocks {
    if (this.#own.isShared) this.#own = this.#own.copy()
    return this.#own
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
    const own = this.#own.oldest
    const below = this.#layers.length === 0 ? [] : this.#entries(oldest, Math.min(first, own) - 1)
    const forgotten = [...below, ...(first > own ? this.#unshared().dropBelow(first) : [])]
    for (const entry of forgotten) {
      if (!(entry instanceof ReservedRange)) this.addresses.forget(entry)
    }
    this.#from = first
    this.#layers = this.#layers.filter(({ until }) => until >= first)
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

  /** The blocks among which one is if it is kept. */
  #blocksOf(number: number): SealedBlocks | undefined {
    if (this.#layers.length === 0 || number >= this.#own.oldest) return this.#own
    if (number < this.#from) return undefined
    return this.#layers.find(({ blocks }) => number >= blocks.oldest)?.blocks
  }
}

/** Number of past blocks that the BLOCKHASH opcode can see. */
const BLOCKHASH_REACH = 256

/** See {@link History.randaoSeed}. */
export function randaoSeed(genesis: GenesisIdentity | undefined): Uint8Array {
  return genesis?.hash ?? ZERO_HASH
}
