import type { Hex } from '../primitives/hex.ts'
import type { Dashboard } from './dashboard.ts'
import type { goneOf } from './methods/transaction.ts'

export type NotFound = ReturnType<typeof notFound> & {
  /** Of a transaction that was dropped a while ago at most. Absent for a block. */
  readonly gone?: Awaited<ReturnType<typeof goneOf>>
}

/**
 * Places where a transaction or block was looked for.
 *
 * @param id - hash of either, or number of the block
 */
export function notFound({ node }: Dashboard, id: Hex | number) {
  const { dropped, head, history, mempool, pending } = node.context.chain
  const { border } = node.context.fork
  return {
    found: false as const,
    waiting: mempool.size,
    /** Number of the pending block. */
    pending: Number(pending.environment.number),
    /** Sealed blocks: oldest and newest. */
    oldest: history.oldest,
    latest: head.number,
    dropped: dropped.findLast((one) => one.hash === id)?.reason ?? null,
    /** Number or hash to ask the upstream of a forked chain for; `null` if it cannot have it. */
    upstream: border !== undefined && (typeof id === 'string' || id <= border.last) ? id : null,
  }
}
