import type { Hex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { GenesisIdentity } from '../protocol/forkId.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'

interface SealedTransaction {
  readonly block: SealedBlock
  readonly executed: ExecutedTransaction
}

/** Number of past blocks that the BLOCKHASH opcode can see. */
const BLOCKHASH_REACH = 256

/** The sealed blocks, by number, hash and transaction. */
export class History {
  /** Consecutive, oldest first; starts after the genesis block once old blocks were dropped. */
  #blocks: SealedBlock[]
  readonly #byHash = new Map<Hex, SealedBlock>()
  readonly #transactions = new Map<Hex, SealedTransaction>()
  #genesis: GenesisIdentity | undefined
  readonly #droppedHashes: Map<number, Uint8Array>

  /**
   * @param oldest - the genesis block, or the oldest block that is kept
   * @param dropped - what is known of the blocks before `oldest`: genesis, and hashes by number
   */
  constructor(
    oldest: SealedBlock,
    dropped: {
      readonly genesis?: GenesisIdentity | undefined
      readonly hashes?: ReadonlyMap<number, Uint8Array>
    } = {},
  ) {
    this.#blocks = []
    this.#genesis = dropped.genesis
    this.#droppedHashes = new Map(dropped.hashes)
    this.push(oldest)
  }

  /** Known even after block 0 was dropped; `undefined` if the node never had block 0. */
  get genesis(): GenesisIdentity | undefined {
    return this.#genesis
  }

  get head(): SealedBlock {
    const head = this.#blocks.at(-1)
    if (head === undefined) throw new Error('A chain has at least one block')
    return head
  }

  /** Number of the oldest block that is kept. */
  get oldest(): number {
    return this.#blocks[0]?.number ?? 0
  }

  /** All blocks that are kept, oldest first. A copy. */
  blocks(): SealedBlock[] {
    return this.#blocks.slice()
  }

  /** Hashes of up to 256 dropped blocks right before the oldest kept one, by block number. */
  get droppedHashes(): ReadonlyMap<number, Uint8Array> {
    return this.#droppedHashes
  }

  byNumber(number: number): SealedBlock | undefined {
    return this.#blocks[number - this.oldest]
  }

  /** Hash of a block, even of one dropped recently: BLOCKHASH reaches 256 blocks back. */
  hashOf(number: number): Uint8Array | undefined {
    return this.byNumber(number)?.hashBytes ?? this.#droppedHashes.get(number)
  }

  byHash(hash: Hex): SealedBlock | undefined {
    return this.#byHash.get(hash)
  }

  transaction(hash: Hex): SealedTransaction | undefined {
    return this.#transactions.get(hash)
  }

  push(block: SealedBlock): void {
    if (block.number === 0) {
      this.#genesis = { hash: block.hashBytes, timestamp: block.header.timestamp }
    }
    this.#blocks.push(block)
    this.#byHash.set(block.hash, block)
    for (const executed of block.executed) {
      this.#transactions.set(executed.transaction.hash, { block, executed })
    }
  }

  /** Forgets the blocks after block `number`. */
  truncate(number: number): void {
    for (const block of this.#blocks.splice(number - this.oldest + 1)) this.#forget(block)
  }

  /** Forgets the blocks before block `number`, but never the newest; returns those forgotten. */
  dropBelow(number: number): SealedBlock[] {
    const count = Math.min(number - this.oldest, this.#blocks.length - 1)
    if (count <= 0) return []
    const dropped = this.#blocks.slice(0, count)
    this.#blocks = this.#blocks.slice(count)
    for (const block of dropped) {
      this.#forget(block)
      this.#droppedHashes.set(block.number, block.hashBytes)
      this.#droppedHashes.delete(block.number - BLOCKHASH_REACH)
    }
    return dropped
  }

  #forget(block: SealedBlock): void {
    this.#byHash.delete(block.hash)
    for (const { transaction } of block.executed) this.#transactions.delete(transaction.hash)
  }
}
