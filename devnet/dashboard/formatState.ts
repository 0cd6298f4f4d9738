import { formatBriefStatus } from '../json/formatStatus.ts'
import { quantity } from '../primitives/hex.ts'
import type { DashboardStatus, Snapshot } from './api.ts'
import type { Counts } from './apiTypes/transactionTypes.ts'
import type { Dashboard } from './dashboard.ts'

/** Clocks, heads and mempool, in constant size. */
export function formatDashboardStatus({ node: { context, wallet } }: Dashboard): DashboardStatus {
  const { pending } = context.chain
  const status = formatBriefStatus(context)
  return {
    ...status,
    pending: {
      ...status.pending,
      gasLimit: Number(pending.environment.gasLimit),
      transactions: pending.executed.length,
    },
    hint: context.lag?.said ?? null,
    walletRequests: wallet?.waiting ?? 0,
  }
}

export function formatSnapshots({ node: { context } }: Dashboard): readonly Snapshot[] {
  return [...context.chain.snapshots].map(([id, { head, pending, mempool, time }]) => ({
    id: quantity(id),
    block: head.number,
    pending: pending.executed.length,
    waiting: mempool.length,
    time,
  }))
}

/** To be called in the turn of the event loop in which the index was brought up to date. */
export function formatCounts({ index, node: { context } }: Dashboard): Counts {
  const { mempool, dropped } = context.chain
  return { first: index.first, end: index.end, waiting: mempool.size, dropped: dropped.length }
}
