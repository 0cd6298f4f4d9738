import type { Chain, TransactionLocation } from '../../chain/chain.ts'
import { hash32 } from '../../json/params.ts'
import type { BlockContext } from '../../json/resolveBlock.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import { wallTime } from '../../primitives/moment.ts'
import { findBySender } from '../../rpc/queries/findBySender.ts'
import type { ChainIndex } from '../chainIndex.ts'
import type { Dashboard } from '../dashboard.ts'
import { type Event, type Naming, shownBytes } from '../naming.ts'
import { notFound } from '../notFound.ts'
import { defineQuery, fields } from '../query.ts'
import { recipientOf } from '../rows.ts'
import { typedFields } from '../typedFields.ts'

/** Number of events that are decoded. */
const MOST_EVENTS = 1000

type Executed = Exclude<TransactionLocation, { at: 'mempool' }>

/** All of a transaction but what it takes an execution to know. */
export default defineQuery(fields({ hash: hash32() }), async (dashboard, { hash }, { signal }) => {
  const { chain } = dashboard.node.context
  await dashboard.index.sync(signal)
  const found = chain.findTransaction(hash)
  const { naming } = dashboard.work(signal)
  if (found !== undefined) return detailsOf(dashboard, found, naming)
  return { ...notFound(dashboard, hash), gone: await goneOf(dashboard, hash, naming) }
})

export type TransactionDetails = Awaited<ReturnType<typeof detailsOf>>

/** @param found - as if it waited, if it was dropped */
async function detailsOf(dashboard: Dashboard, found: TransactionLocation, naming: Naming) {
  const { chain } = dashboard.node.context
  const executed = found.at === 'mempool' ? undefined : found
  const transaction = found.at === 'mempool' ? found.transaction : found.executed.transaction
  // All that can change is read in one turn.
  const moment = {
    /** `null` while it waits. */
    place: executed === undefined ? null : transactionPlace(executed, dashboard.index),
    /**
     * Wall times of this node in ms since the epoch; `null` if it is not so far, or if it was not
     * this process that did it.
     */
    times: {
      accepted: wallTime(transaction.acceptedAt),
      /** The first time that a pending block showed it. */
      preconfirmed: wallTime(executed?.executed.preconfirmedAt),
      sealed: found.at === 'sealed' ? wallTime(found.block.sealedAt) : null,
    },
    /** `null` once it is executed. */
    waiting: found.at === 'mempool' ? waitingOf(chain, found) : null,
    /** In the block, of an executed one. `null` if there is none. */
    inBlock: executed === undefined ? { previous: null, next: null } : inBlock(executed),
    /** By the sender's nonce, as far as they are known. */
    ofSender: ofSender(dashboard.node.context, found),
  }
  const to = recipientOf(transaction)
  const typed = typedFields(transaction, executed?.executed, chain.engine)
  await naming.nameAll([transaction.sender, to])
  for (const { authority, delegate } of typed.authorizations) {
    await naming.nameAll([authority, delegate])
  }
  const { text, decoded } = await naming.call(to, toHex(transaction.data))
  return {
    ...moment,
    ...typed,
    found: true as const,
    state: STATES[found.at],
    hash: transaction.hash,
    type: transaction.type,
    from: transaction.sender,
    to,
    nonce: Number(transaction.nonce),
    value: String(transaction.value),
    gasLimit: Number(transaction.gasLimit),
    /** wei; the gas price of types 0 and 1. */
    maxFeePerGas: String(transaction.maxFeePerGas),
    maxPriorityFeePerGas: String(transaction.maxPriorityFeePerGas),
    /** True if the sender did not sign it. */
    impersonated: transaction.impersonated,
    call: { text, decoded },
    input: shownBytes(transaction.data),
    /** `null` while it waits. */
    outcome: executed === undefined ? null : await outcomeOf(executed, naming),
    names: naming.names,
  }
}

/** The transaction as it was, if it was dropped a while ago at most. */
export async function goneOf(dashboard: Dashboard, hash: Hex, naming: Naming) {
  const { chain } = dashboard.node.context
  const dropped = chain.droppedTransaction(hash)
  if (dropped === undefined) return null
  const { transaction, droppedAt } = dropped
  const { replacedBy = null } = chain.dropped.findLast((one) => one.hash === hash) ?? {}
  const next = chain.mempool.nextNonce(transaction.senderKey)
  const counted = chain.pending.state.account(transaction.senderKey)?.nonce ?? 0n
  const details = await detailsOf(dashboard, { at: 'mempool', transaction, runnable: true }, naming)
  return {
    transaction: { ...details, waiting: null },
    /** Wall time, ms since the epoch. */
    time: wallTime(droppedAt),
    replacedBy,
    /** Nonce that its sender would have to use next. */
    nextNonce: Number(next > counted ? next : counted),
  }
}

const STATES = { mempool: 'queued', pending: 'preconfirmed', sealed: 'sealed' } as const

function blockOf(found: Executed) {
  return found.at === 'sealed' ? found.block : found.view
}

function transactionPlace(found: Executed, index: ChainIndex) {
  const { executed } = found
  const isSealed = found.at === 'sealed'
  const { number, timestamp } = isSealed ? found.block.header : found.view.environment
  return {
    position: index.firstOf(blockOf(found)) + executed.index,
    block: Number(number),
    /** `null` while the block is pending. */
    blockHash: isSealed ? found.block.hash : null,
    /** s since the epoch. */
    timestamp: Number(timestamp),
    tick: executed.tick,
    index: executed.index,
  }
}

/** Reason why it waits: the missing nonces between that of its sender and its own. */
function waitingOf(
  { mempool, pending }: Chain,
  { transaction, runnable }: Extract<TransactionLocation, { at: 'mempool' }>,
) {
  if (runnable) return { runnable, missing: null }
  const { senderKey, nonce } = transaction
  const start = pending.state.account(senderKey)?.nonce ?? 0n
  const next = mempool.nextNonce(senderKey)
  const from = next > start ? next : start
  let to = from
  while (to + 1n < nonce && mempool.at(senderKey, to + 1n) === undefined) to++
  return {
    /** True if the next tick can take it. */
    runnable,
    /** The nonces that are missing before it, first and last; `null` if none is. */
    missing: { from: Number(from), to: Number(to) },
  }
}

function inBlock(found: Executed) {
  const { executed } = blockOf(found)
  const hashAt = (index: number) => executed[index]?.transaction.hash ?? null
  const { index } = found.executed
  return { previous: hashAt(index - 1), next: hashAt(index + 1) }
}

function ofSender(context: BlockContext, found: TransactionLocation) {
  const { senderKey, nonce } =
    found.at === 'mempool' ? found.transaction : found.executed.transaction
  const hashOf = (wanted: bigint) => {
    const other = wanted < 0n ? undefined : findBySender(context, senderKey, wanted)
    if (other === undefined) return null
    return other.at === 'mempool' ? other.transaction.hash : other.executed.transaction.hash
  }
  return { previous: hashOf(nonce - 1n), next: hashOf(nonce + 1n) }
}

async function outcomeOf(found: Executed, naming: Naming) {
  const { executed } = found
  const baseFee =
    found.at === 'sealed'
      ? (found.block.header.baseFeePerGas ?? 0n)
      : found.view.environment.baseFeePerGas
  const { gasUsed, effectiveGasPrice, contractAddress, logs, firstLogIndex } = executed
  const created = contractAddress === undefined ? null : toHex(contractAddress)
  await naming.nameAll([created])
  const events: Event[] = []
  for (const [index, log] of logs.slice(0, MOST_EVENTS).entries()) {
    events.push(await naming.event(log, firstLogIndex + index))
  }
  return {
    success: executed.success,
    gasUsed: Number(gasUsed),
    effectiveGasPrice: String(effectiveGasPrice),
    /** All gas at that price. */
    fee: String(gasUsed * effectiveGasPrice),
    baseFeePerGas: String(baseFee),
    created,
    events,
    /** Number of further events. */
    omittedEvents: logs.length - events.length,
  }
}
