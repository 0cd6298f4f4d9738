import type { Chain } from '../chain/chain.ts'
import { Feed } from '../primitives/listeners.ts'
import { memoize } from '../primitives/memo.ts'

/** One feed per chain, created on first use; its source runs only while somebody listens. */
export function chainFeed<Item>(
  source: (chain: Chain, emit: (item: Item) => void) => () => void,
): (chain: Chain) => Feed<Item> {
  return memoize(
    (chain: Chain) => new Feed<Item>((emit) => source(chain, emit), chain.onInternalError),
  )
}
