import type { Chain } from '../chain/chain.ts'
import type { Hex } from '../types.ts'
import type { Filter } from './filters.ts'

/** Hashes that one read gives at most, the newest: a client that slept does not get a whole chain at once. */
export const MOST_HASHES = 10_000

/** Gives the hashes of the blocks that were sealed since the last read; never that of the pending one. */
export class BlockFilter implements Filter {
  readonly #chain: Pick<Chain, 'head' | 'history'>
  /** Number of the first block that has not been read. */
  #next: number

  constructor(chain: Pick<Chain, 'head' | 'history'>) {
    this.#chain = chain
    this.#next = chain.head.number + 1
  }

  changes(): readonly Hex[] {
    this.follow()
    const { head, history } = this.#chain
    const hashes: Hex[] = []
    const first = Math.max(this.#next, history.oldest, head.number - MOST_HASHES + 1)
    for (let number = first; number <= head.number; number++) {
      const block = history.byNumber(number)
      if (block !== undefined) hashes.push(block.hash)
    }
    this.#next = head.number + 1
    return hashes
  }

  follow(): void {
    this.#next = Math.min(this.#next, this.#chain.head.number + 1)
  }

  end(): void {}
}
