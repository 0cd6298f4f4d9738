import type { DashboardApi } from './api.ts'
import type { Query } from './query.ts'

const QUERIES: Readonly<
  Partial<Record<keyof DashboardApi, () => Promise<{ readonly default: Query }>>>
> = {
  state: () => import('./methods/state.ts'),
  strip: () => import('./methods/strip.ts'),
  transactions: () => import('./methods/transactions.ts'),
  transaction: () => import('./methods/transaction.ts'),
  block: () => import('./methods/block.ts'),
  mempool: () => import('./methods/mempool.ts'),
  log: () => import('./methods/log.ts'),
  command: () => import('./methods/command.ts'),
}

/** Returns the method with this name, or `undefined` if there is none. */
export async function findQuery(name: string): Promise<Query | undefined> {
  // `QUERIES[name]` alone would also find inherited members such as `constructor`.
  return isQuery(name) ? (await QUERIES[name]?.())?.default : undefined
}

function isQuery(name: string): name is keyof DashboardApi {
  return Object.hasOwn(QUERIES, name)
}
