import { formatBriefStatus } from '../json/formatStatus.ts'
import { quantity } from '../primitives/hex.ts'
import type { Dashboard } from './dashboard.ts'

/** The answer of `preconf_status`, without lists, so that its size does not grow. */
export function formatDashboardStatus({ node: { context, wallet } }: Dashboard) {
  const { pending } = context.chain
  const status = formatBriefStatus(context)
  return {
    ...status,
    pending: {
      ...status.pending,
      gasLimit: Number(pending.environment.gasLimit),
      transactions: pending.executed.length,
    },
    /** The text of the node's `hint`; `null` if there was none. */
    hint: context.lag?.said ?? null,
    /** Number of requests that wait for a person on the mock wallet's approval page. */
    walletRequests: wallet?.waiting ?? 0,
  }
}

export function formatSnapshots({ node: { context } }: Dashboard) {
  return [...context.chain.snapshots].map(([id, { head, pending, mempool, time }]) => ({
    /** As of `evm_snapshot`. */
    id: quantity(id),
    /** Newest sealed block. */
    block: head.number,
    /** Pre-confirmed transactions. */
    pending: pending.executed.length,
    /** Transactions in the mempool. */
    waiting: mempool.length,
    /** Virtual time, ms since the epoch. */
    time,
  }))
}

/** To be called in the turn of the event loop in which the index was brought up to date. */
export function formatCounts({ index, node: { context } }: Dashboard) {
  const { mempool, dropped } = context.chain
  return {
    /** Position of the oldest executed transaction that is kept; 0 unless blocks were dropped. */
    first: index.first,
    /** Position after that of the newest one, which is the last pre-confirmed one. */
    end: index.end,
    waiting: mempool.size,
    dropped: dropped.length,
  }
}
