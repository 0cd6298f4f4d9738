import { methodNotFound } from '../rpc/method.ts'
import type { Query } from './query.ts'

/** The methods by their names. Their files are loaded on first use. */
const QUERIES = {
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

type Loaded<Name extends keyof typeof QUERIES> = Awaited<
  ReturnType<(typeof QUERIES)[Name]>
>['default']

type Queries = {
  readonly [Name in keyof typeof QUERIES]: Loaded<Name> extends Query<infer Params, infer Answer>
    ? { readonly params: Params; readonly answer: Answer }
    : never
}

/**
 * The methods, each with its parameters and its answer: what the page asks over `/dashboard/api`,
 * and what the node answers. JSON-RPC 2.0 over POST with `Authorization: Bearer <token>`, or over a
 * WebSocket whose first message is `{"token":"…"}`. The params are one object, or a list of one.
 *
 * Hex is lower case. Amounts in wei are decimal text, gas and times are numbers. What contracts and
 * artifacts say is untrusted text of bounded length.
 */
export interface DashboardApi extends Queries {}

/** Loads the method with this name. @throws {DevnetError} */
export async function findQuery(name: string): Promise<Query<unknown, unknown>> {
  // `QUERIES[name]` alone would also find inherited members such as `constructor`.
  if (!isQuery(name)) throw methodNotFound(name)
  return (await QUERIES[name]()).default
}

function isQuery(name: string): name is keyof DashboardApi {
  return Object.hasOwn(QUERIES, name)
}
