import type { Chain } from '../chain/chain.ts'
import { memoize } from '../primitives/memo.ts'

/** Begins to call `emit`; answers the function that ends it. */
type Listen<Item> = (emit: (item: Item) => void) => () => void

/** One source for all who subscribe to it, so that each item is made once. It listens only while somebody does. */
export class Feed<Item> {
  readonly #listen: Listen<Item>
  readonly #receivers = new Set<(item: Item) => void>()
  #stop: (() => void) | undefined

  constructor(listen: Listen<Item>) {
    this.#listen = listen
  }

  /** Calls `receive` with each item from now on; answers the function that ends it. */
  subscribe(receive: (item: Item) => void): () => void {
    this.#receivers.add(receive)
    this.#stop ??= this.#listen((item) => this.#emit(item))
    return () => {
      this.#receivers.delete(receive)
      if (this.#receivers.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  /** One receiver that throws does not keep the item from the others; the chain's own listeners report it. */
  #emit(item: Item): void {
    const errors: unknown[] = []
    for (const receive of this.#receivers) {
      try {
        receive(item)
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
}

/** A feed for each chain that is asked for one. */
export function chainFeed<Item>(
  listen: (chain: Chain, emit: (item: Item) => void) => () => void,
): (chain: Chain) => Feed<Item> {
  return memoize((chain: Chain) => new Feed<Item>((emit) => listen(chain, emit)))
}
