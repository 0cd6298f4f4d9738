import type { FormattedLog, FormattedReceipt, Hex, Status } from '../../devnet/index.ts'
import { isObject, plainText, printable } from '../../devnet/pluginApi.ts'
import type { Ask } from '../rpc-client.ts'
import { askStatus } from './arguments.ts'
import type { Limit } from './outcome.ts'

/** The part of a log that assertions read. */
export type Log = Pick<FormattedLog, 'address' | 'topics' | 'data'>

/** The fields of an `eth_getTransactionByHash` answer that assertions read. */
interface Transaction {
  readonly hash: Hex
  /** `null` while the transaction is in the mempool. */
  readonly blockNumber: Hex | null
  readonly from: Hex
  readonly nonce: Hex
  readonly gas: Hex
  /** The most that the transaction pays per gas, in wei. */
  readonly gasPrice: Hex
}

/** State of a transaction when it was looked up. */
export type TransactionState = Executed | Waiting

interface Executed {
  readonly at: 'pre-confirmed' | 'sealed'
  readonly block: number
  readonly receipt: FormattedReceipt
}

/** A transaction that has no receipt, and the node's status when it was looked up. */
type Waiting = { readonly status: Status } & (
  | { readonly at: 'gap'; readonly expected: number; readonly nonce: number; readonly from: Hex }
  /** `transaction` is `undefined` if the node holds its answer back until the next tick. */
  | { readonly at: 'mempool'; readonly transaction: Transaction | undefined }
  | { readonly at: 'dropped'; readonly reason: string; readonly preconfirmed: boolean }
  | { readonly at: 'unknown' }
  /** A tick has executed it, but the node answers no receipt, for example by a fault. */
  | { readonly at: 'without receipt'; readonly block: number }
)

/** Looks up a transaction; the node may hold its answer back until a tick can execute it. */
export async function lookUp(ask: Ask, hash: Hex, limit: Limit): Promise<TransactionState> {
  // The node answers with an `Answer` or null; `undefined` means no answer within the limit.
  const get = async <Answer>(method: string) =>
    (await limit.within(ask(method, hash))) as Answer | null | undefined
  const receipt = await get<FormattedReceipt>('eth_getTransactionReceipt')
  if (receipt) return executed(receipt)
  const transaction =
    receipt === undefined ? undefined : await get<Transaction>('eth_getTransactionByHash')
  const status = await askStatus(ask)
  if (transaction === undefined) return { at: 'mempool', transaction, status }
  if (transaction === null) {
    const dropped = status.dropped.findLast((one) => one.hash === hash)
    return dropped === undefined
      ? { at: 'unknown', status }
      : { at: 'dropped', reason: dropped.reason, preconfirmed: dropped.preconfirmed, status }
  }
  // A node of another version may not tell.
  if (transaction.blockNumber === null && status.modes?.receipts === 'sealed') {
    const hidden = await get<FormattedReceipt>('preconf_getTransactionReceipt')
    if (hidden) return executed(hidden)
  }
  if (transaction.blockNumber !== null) {
    // A tick executed it between the two requests.
    const later = await get<FormattedReceipt>('eth_getTransactionReceipt')
    if (later) return executed(later)
    return { at: 'without receipt', block: Number(transaction.blockNumber), status }
  }
  const { from } = transaction
  const nonce = Number(transaction.nonce)
  const pool = await poolOf(ask, from)
  if (!(nonce in pool.queued)) return { at: 'mempool', transaction, status }
  let expected = Number(plainText(await ask('eth_getTransactionCount', from, 'pending')))
  while (expected in pool.pending) expected++
  return { at: 'gap', from, expected, nonce, status }
}

function executed(receipt: FormattedReceipt): Executed {
  const at = /^0x0*$/.test(receipt.blockHash) ? 'pre-confirmed' : 'sealed'
  return { at, block: Number(receipt.blockNumber), receipt }
}

/** A sender's transactions by nonce: `queued` wait behind a nonce gap, `pending` do not. */
interface PoolContent {
  readonly pending: Readonly<Record<string, unknown>>
  readonly queued: Readonly<Record<string, unknown>>
}

export async function poolOf(ask: Ask, sender: Hex): Promise<PoolContent> {
  // geth defines this method and the shape of its answer.
  return (await ask('txpool_contentFrom', sender)) as PoolContent
}

/**
 * Reason why nothing can become pre-confirmed now, and the way out; `undefined` while ticks run.
 */
export function frozenTicks({ ticks, sealing }: Status): string | undefined {
  if (ticks.running) return undefined
  const what = sealing.running ? 'the ticks are frozen' : 'both clocks are frozen'
  return `${what}: tick() or advance first`
}

/** Time in ms within which ticks should have executed every runnable transaction. */
export function tickTimeout({ ticks }: Status): number {
  return Math.max(1000, 5 * ticks.interval)
}

/** The state of a transaction in a few words, for the `actual` value of an assertion. */
export function place(state: TransactionState): string {
  switch (state.at) {
    case 'pre-confirmed':
    case 'sealed':
      return `${state.at} in block ${state.block}`
    case 'gap':
      return 'queued behind a nonce gap'
    case 'mempool':
      return 'waiting in the mempool'
    default:
      return state.at
  }
}

/** The state of a transaction, and why it is not pre-confirmed, as the end of a sentence. */
export async function describe(ask: Ask, state: TransactionState): Promise<string> {
  switch (state.at) {
    case 'pre-confirmed':
      return `it is pre-confirmed in block ${state.block}, which is not sealed`
    case 'sealed':
      return `it is sealed in block ${state.block}`
    case 'gap':
      return `it is queued behind a nonce gap: the node expects nonce ${state.expected} of ${state.from}, it has ${state.nonce}`
    case 'dropped':
      return `it was dropped: ${printable(state.reason)}`
    case 'unknown':
      return 'the node does not know it'
    case 'without receipt':
      return `the node answers no receipt of it, although it is in block ${state.block}`
    case 'mempool': {
      const { status, transaction } = state
      const fault = faultThatKeeps(transaction?.hash, status)
      const why = fault ?? frozenTicks(status) ?? (await whyLeft(ask, transaction))
      return `it waits in the mempool, and ${why ?? 'no tick has taken it yet'}`
    }
  }
}

/** The fault by which ticks leave a transaction in the mempool; `undefined` if there is none. */
function faultThatKeeps(hash: Hex | undefined, { faults }: Status): string | undefined {
  if (faults === undefined) return undefined
  // A node of another version may not tell.
  const { held = [], stall = null } = faults
  const holder = held.find((one) => one.hash === hash)
  if (holder !== undefined) return `fault ${holder.rule} (hold) keeps it there`
  if (stall === null) return undefined
  return `fault ${stall} (stall) keeps ticks from executing anything: seal() takes it`
}

/**
 * Reason why ticks leave a runnable transaction in the mempool; `undefined` if no reason is found.
 */
async function whyLeft(
  ask: Ask,
  transaction: Transaction | undefined,
): Promise<string | undefined> {
  if (transaction === undefined) return undefined
  type PendingBlock = Record<'gasLimit' | 'gasUsed' | 'baseFeePerGas', Hex>
  // The pending block always exists and has these fields.
  const block = (await ask('eth_getBlockByNumber', 'pending', false)) as PendingBlock
  if (!isObject(block)) return undefined
  const { gas, gasPrice } = transaction
  if (BigInt(gasPrice) < BigInt(block.baseFeePerGas ?? '0x0')) {
    return `it pays at most ${BigInt(gasPrice)} wei per gas, less than the base fee of ${BigInt(block.baseFeePerGas)}`
  }
  // Last, for under Amsterdam a block can have room for a limit that is above what this leaves.
  const free = BigInt(block.gasLimit) - BigInt(block.gasUsed)
  if (BigInt(gas) > free) {
    return `its gas limit of ${Number(gas)} is more than the ${free} left in the pending block: seal() first`
  }
  return undefined
}

/** As {@link describe}, if the seal is awaited; `final` if no later look can find another state. */
export async function describeUnsealed(
  ask: Ask,
  state: TransactionState,
): Promise<{ found: string; final: boolean }> {
  const found = await describe(ask, state)
  if (state.at === 'sealed' || state.at === 'dropped') return { found, final: true }
  const { instant, sealing, ticks } = 'status' in state ? state.status : await askStatus(ask)
  if (instant || sealing.running) return { found, final: false }
  const isNext = state.at === 'pre-confirmed' || (state.at === 'mempool' && ticks.running)
  const hint = isNext ? ', and sealing is frozen: seal() or advance first' : ''
  return { found: found + hint, final: true }
}
