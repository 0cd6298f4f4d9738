import type { Chain } from '../../chain/chain.ts'
import { Scheduler } from '../../engine/scheduler.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import type { ExecutedTransaction, RawLog } from '../../protocol/receipt.ts'
import { movesIn, type TokenMove } from '../../rpc/naming/tokenMoves.ts'
import type { ChainIndex } from '../chainIndex.ts'

/** A token, or one id of an ERC-1155, that an account has received. */
export type Received = Pick<TokenMove, 'asset' | 'id'>

/** ms for which blocks are taken in without a pause. */
const SLICE = 2

/** Number of tokens that are remembered, of all accounts and of one. */
const MOST = 100_000
const MOST_OF_ONE = 500

/**
 * Tokens that accounts received in transfers of the chain, as far as it was looked at. What a
 * command took back stays: a balance tells what an account has.
 */
export class TokenHolders {
  readonly #chain: Chain
  readonly #index: ChainIndex
  /** Blocks that were counted, with all blocks before them. */
  readonly #seen = new WeakSet<SealedBlock>()
  readonly #received = new Map<Hex, Map<string, Received>>()
  #count = 0

  constructor(chain: Chain, index: ChainIndex) {
    this.#chain = chain
    this.#index = index
  }

  /**
   * Takes in what is new, in slices.
   *
   * @param time - ms after which it ends
   * @returns whether nothing is left
   */
  async sync(signal: AbortSignal, time: number): Promise<boolean> {
    await this.#index.sync(signal)
    const fresh: SealedBlock[] = []
    for (const block of this.#index.blocksBefore(Number.POSITIVE_INFINITY)) {
      if (this.#seen.has(block)) break
      fresh.push(block)
    }
    const scheduler = new Scheduler({ signal, slice: SLICE })
    const until = performance.now() + time
    // Oldest first: if a block was seen, so were all blocks before it.
    for (const block of fresh.reverse()) {
      if (performance.now() > until) return false
      await this.#take(block.executed, scheduler)
      this.#seen.add(block)
    }
    await this.#take(this.#chain.pending.executed, scheduler)
    return true
  }

  async #take(executed: readonly ExecutedTransaction[], scheduler: Scheduler): Promise<void> {
    for (const { logs } of executed) {
      for (const move of movesOf(logs)) this.#add(move)
      const pause = scheduler.yieldIfDue()
      if (pause !== undefined) await pause
    }
  }

  #add({ asset, id, to, amount }: TokenMove): void {
    // Of ERC-721 the account is asked how many it has.
    const received = { asset, id: amount === null ? null : id }
    const key = `${asset} ${received.id}`
    const known = this.#received.get(to) ?? new Map<string, Received>()
    if (known.has(key) || known.size >= MOST_OF_ONE || this.#count >= MOST) return
    known.set(key, received)
    this.#received.set(to, known)
    this.#count++
  }

  /** The tokens that an account received, the newest first. */
  receivedBy(account: Hex): readonly Received[] {
    return [...(this.#received.get(account)?.values() ?? [])].reverse()
  }
}

/** The transfers that logs tell, in their order. */
export function movesOf(logs: readonly RawLog[]): readonly TokenMove[] {
  return logs
    .filter(([, topics]) => topics.length > 2)
    .flatMap(([address, topics, data]) =>
      movesIn({ address: toHex(address), topics: topics.map(toHex), data: toHex(data) }),
    )
}
