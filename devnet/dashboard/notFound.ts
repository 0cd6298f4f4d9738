import type { Hex } from '../primitives/hex.ts'
import type { NotFound } from './apiTypes/transactionTypes.ts'
import type { Dashboard } from './dashboard.ts'

/**
 * Places where a transaction or block was looked for.
 *
 * @param id - hash of either, or number of the block
 */
export function notFound({ node }: Dashboard, id: Hex | number): NotFound {
  const { dropped, head, history, mempool, pending } = node.context.chain
  const { border } = node.context.fork
  return {
    found: false,
    waiting: mempool.size,
    pending: Number(pending.environment.number),
    oldest: history.oldest,
    latest: head.number,
    dropped: dropped.findLast((one) => one.hash === id)?.reason ?? null,
    upstream: border !== undefined && (typeof id === 'string' || id <= border.last) ? id : null,
  }
}
