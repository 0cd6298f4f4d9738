import type { Hex } from '../../devnet/primitives/hex.ts'
import type { Status } from '../../devnet/types.ts'
import { type Ask, askStatus } from './node.ts'
import type { Limit } from './outcome.ts'

/** A log of {@link Receipt}. */
export interface Log {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** Of a receipt of `eth_getTransactionReceipt`, what assertions look at. */
export interface Receipt {
  readonly blockHash: Hex
  readonly blockNumber: Hex
  /** Absent before Byzantium. */
  readonly status?: Hex
  readonly logs: readonly Log[]
}

/** Of a transaction in the mempool, what assertions look at. */
export interface PoolTransaction {
  readonly from: Hex
  readonly nonce: Hex
  readonly gas: Hex
  /** wei; the highest price that it pays. */
  readonly gasPrice: Hex
}

/** Where a transaction was seen. */
export type Sighting = Executed | Waiting

/** A transaction that a tick has taken. */
export interface Executed {
  readonly at: 'pre-confirmed' | 'sealed'
  readonly block: number
  readonly receipt: Receipt
}

/** A transaction that no tick has taken, and what the clocks were at. */
export type Waiting = { readonly status: Status } & (
  | { readonly at: 'gap'; readonly expected: number; readonly nonce: number; readonly from: Hex }
  /** `transaction` is absent where the node has not answered yet, because it waits for the tick that can take it. */
  | { readonly at: 'mempool'; readonly transaction: PoolTransaction | undefined }
  | { readonly at: 'dropped'; readonly reason: string }
  | { readonly at: 'unknown' }
)

/** Looks for a transaction; the node lets the look wait for the tick that can take it. */
export async function sight(ask: Ask, hash: Hex, limit: Limit): Promise<Sighting> {
  // The node answers both of these with what their names say, or with null.
  const receipt = (await limit.within(ask('eth_getTransactionReceipt', hash))) as
    | Receipt
    | null
    | undefined
  if (receipt !== null && receipt !== undefined) return executed(receipt)
  const transaction =
    receipt === undefined
      ? undefined
      : ((await limit.within(ask('eth_getTransactionByHash', hash))) as
          | (PoolTransaction & { readonly blockNumber: Hex | null })
          | null
          | undefined)
  const status = await askStatus(ask)
  if (transaction === undefined) return { at: 'mempool', transaction: undefined, status }
  if (transaction === null) return missing(hash, status)
  // A tick has taken it between the two questions.
  if (transaction.blockNumber !== null) return sight(ask, hash, limit)
  return (await gapBefore(ask, transaction, status)) ?? { at: 'mempool', transaction, status }
}

function executed(receipt: Receipt): Executed {
  const at = /^0x0*$/.test(receipt.blockHash) ? 'pre-confirmed' : 'sealed'
  return { at, block: Number(receipt.blockNumber), receipt }
}

function missing(hash: Hex, status: Status): Sighting {
  const dropped = status.dropped.findLast((one) => one.hash === hash)
  if (dropped === undefined) return { at: 'unknown', status }
  return { at: 'dropped', reason: dropped.reason, status }
}

/** What the node keeps of one sender, by nonce: pre-confirmed and runnable, and behind a gap. */
export interface PoolContent {
  readonly pending: Readonly<Record<string, unknown>>
  readonly queued: Readonly<Record<string, unknown>>
}

export async function poolOf(ask: Ask, sender: Hex): Promise<PoolContent> {
  // As geth has the method, which the node follows.
  return (await ask('txpool_contentFrom', sender)) as PoolContent
}

/** The first nonce from `start` on that no runnable transaction has. */
export function firstFree(start: number, { pending }: PoolContent): number {
  let nonce = start
  while (String(nonce) in pending) nonce++
  return nonce
}

async function gapBefore(
  ask: Ask,
  { from, nonce }: PoolTransaction,
  status: Status,
): Promise<Sighting | undefined> {
  const pool = await poolOf(ask, from)
  if (!(String(Number(nonce)) in pool.queued)) return undefined
  const counted = Number(await ask('eth_getTransactionCount', from, 'pending'))
  return { at: 'gap', from, expected: firstFree(counted, pool), nonce: Number(nonce), status }
}
