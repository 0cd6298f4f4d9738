import type { Hex } from '../primitives/hex.ts'
import type { NotFound } from './apiTypes/transactionTypes.ts'
import type { Dashboard } from './dashboard.ts'

/** Places where a transaction or block was looked for. */
export function notFound({ node }: Dashboard, hash?: Hex): NotFound {
  const { dropped, head, history, mempool, pending } = node.context.chain
  return {
    found: false,
    waiting: mempool.size,
    pending: Number(pending.environment.number),
    oldest: history.oldest,
    latest: head.number,
    dropped: dropped.findLast((one) => one.hash === hash)?.reason ?? null,
  }
}
