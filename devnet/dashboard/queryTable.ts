import { methodNotFound } from '../rpc/method.ts'
import type { DashboardApi } from './api.ts'
import type { Query } from './query.ts'

const QUERIES: Readonly<Record<keyof DashboardApi, () => Promise<{ readonly default: Query }>>> = {
  accounts: () => import('./methods/accounts.ts'),
  address: () => import('./methods/address.ts'),
  block: () => import('./methods/block.ts'),
  command: () => import('./methods/command.ts'),
  contract: () => import('./methods/contract.ts'),
  contracts: () => import('./methods/contracts.ts'),
  encode: () => import('./methods/encode.ts'),
  gas: () => import('./methods/gas.ts'),
  holdings: () => import('./methods/holdings.ts'),
  input: () => import('./methods/input.ts'),
  log: () => import('./methods/log.ts'),
  mempool: () => import('./methods/mempool.ts'),
  numbers: () => import('./methods/numbers.ts'),
  raw: () => import('./methods/raw.ts'),
  read: () => import('./methods/read.ts'),
  resolve: () => import('./methods/resolve.ts'),
  send: () => import('./methods/send.ts'),
  simulate: () => import('./methods/simulate.ts'),
  state: () => import('./methods/state.ts'),
  strip: () => import('./methods/strip.ts'),
  trace: () => import('./methods/trace.ts'),
  transaction: () => import('./methods/transaction.ts'),
  transactions: () => import('./methods/transactions.ts'),
  upstreamTransaction: () => import('./methods/upstreamTransaction.ts'),
}

/** Loads the method with this name. @throws {DevnetError} */
export async function findQuery(name: string): Promise<Query> {
  // `QUERIES[name]` alone would also find inherited members such as `constructor`.
  if (!isQuery(name)) throw methodNotFound(name)
  return (await QUERIES[name]()).default
}

function isQuery(name: string): name is keyof DashboardApi {
  return Object.hasOwn(QUERIES, name)
}
