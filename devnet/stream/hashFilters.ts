import type { Chain } from '../chain/chain.ts'
import type { ChainEventSources } from '../chain/chainEvents.ts'
import type { BlockContext } from '../json/resolveBlock.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { memoize } from '../primitives/memo.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { Filter } from './filters.ts'
import { TakenBack } from './takenBack.ts'

/** A read returns only this many of the newest hashes: an idle client must not get all blocks. */
const MOST_BLOCK_HASHES = 10_000

interface FilteredBlocks extends Pick<BlockContext, 'fork'> {
  readonly chain: Pick<Chain, 'head' | 'history'>
}

/**
 * Returns the hashes of the blocks sealed since the last read; never that of the pending block. As
 * on geth, also of those that a reorganisation has taken back since, but for reserved ones.
 */
export class BlockFilter implements Filter {
  readonly #context: FilteredBlocks
  /** Number of the first block that has not been read. */
  #next: number
  readonly #takenBack = new TakenBack<Hex>()

  constructor(context: FilteredBlocks) {
    this.#context = context
    this.#next = context.chain.head.number + 1
  }

  changes(): readonly Hex[] {
    this.follow()
    const { head, history } = this.#context.chain
    const hashes: Hex[] = []
    const first = Math.max(this.#next, history.oldest, head.number - MOST_BLOCK_HASHES + 1)
    for (let number = first; ; number++) {
      for (;;) {
        const hash = this.#takenBack.before(number)
        if (hash === undefined) break
        hashes.push(hash)
        this.#takenBack.next()
      }
      if (number > head.number) break
      // Reads only the hash: reading a reserved block would create it.
      const hash = history.hashOf(number)
      if (hash !== undefined) hashes.push(toHex(hash))
    }
    this.#next = head.number + 1
    return hashes.slice(-MOST_BLOCK_HASHES)
  }

  takeBack(blocks: readonly SealedBlock[]): void {
    const unread = blocks.filter(({ number }) => number >= this.#next)
    this.#takenBack.add(
      this.#context.chain.head.number,
      unread.map(({ number, hash }) => ({ number, item: hash })),
    )
    this.#takenBack.limit(MOST_BLOCK_HASHES)
  }

  follow(): void {
    const { chain, fork } = this.#context
    const border = fork?.border
    this.#takenBack.follow(chain.head.number)
    this.#next = Math.min(this.#next, chain.head.number + 1)
    // A reset may have moved the chain onto a later fork block.
    if (border !== undefined) this.#next = Math.max(this.#next, border.last + 1)
  }
}

/** A read returns only this many of the newest hashes: several seconds of the heaviest traffic. */
const MOST_TRANSACTION_HASHES = 50_000

type Admitting = Pick<ChainEventSources, 'admitted'>

/** Hashes of accepted transactions, shared by all filters; empty while there is no filter. */
class AcceptedHashes {
  readonly #events: Admitting
  #hashes: Hex[] = []
  /** Number of older hashes that are no longer kept. */
  #forgotten = 0
  #readers = 0
  #stop: (() => void) | undefined

  constructor(events: Admitting) {
    this.#events = events
  }

  /** Position after the newest hash. */
  get end(): number {
    return this.#forgotten + this.#hashes.length
  }

  open(): void {
    this.#readers++
    this.#stop ??= this.#events.admitted.add(({ hash }) => this.#add(hash))
  }

  close(): void {
    if (--this.#readers > 0) return
    this.#stop?.()
    this.#stop = undefined
    this.#forgotten = this.end
    this.#hashes = []
  }

  /** The hashes from position `place` on; only the newest if there are too many. */
  since(place: number): readonly Hex[] {
    return this.#hashes.slice(
      Math.max(place - this.#forgotten, this.#hashes.length - MOST_TRANSACTION_HASHES, 0),
    )
  }

  #add(hash: Hex): void {
    this.#hashes.push(hash)
    // Keeps up to twice as many as one read returns, so that dropping the oldest is rare.
    if (this.#hashes.length < 2 * MOST_TRANSACTION_HASHES) return
    this.#hashes = this.#hashes.slice(MOST_TRANSACTION_HASHES)
    this.#forgotten += MOST_TRANSACTION_HASHES
  }
}

const acceptedHashes = memoize((events: Admitting) => new AcceptedHashes(events))

/**
 * Returns the hashes of the transactions that the mempool accepted since the last read, even if a
 * revert has undone what followed.
 */
export class TransactionFilter implements Filter {
  readonly #accepted: AcceptedHashes
  #place: number

  constructor(events: Admitting) {
    this.#accepted = acceptedHashes(events)
    this.#accepted.open()
    this.#place = this.#accepted.end
  }

  changes(): readonly Hex[] {
    const hashes = this.#accepted.since(this.#place)
    this.#place = this.#accepted.end
    return hashes
  }

  end(): void {
    this.#accepted.close()
  }
}
