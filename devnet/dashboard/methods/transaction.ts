import type { Chain, TransactionLocation } from '../../chain/chain.ts'
import { hash32 } from '../../json/params.ts'
import type { BlockContext } from '../../json/resolveBlock.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import { wallTime } from '../../primitives/moment.ts'
import { findBySender } from '../../rpc/queries/findBySender.ts'
import type { Event } from '../apiTypes/callTypes.ts'
import type {
  Gone,
  Neighbours,
  Outcome,
  TransactionAnswer,
  TransactionDetails,
  TransactionPlace,
  Waiting,
} from '../apiTypes/transactionTypes.ts'
import type { ChainIndex } from '../chainIndex.ts'
import type { Dashboard } from '../dashboard.ts'
import { type Naming, shownBytes } from '../naming.ts'
import { notFound } from '../notFound.ts'
import { defineQuery, fields } from '../query.ts'
import { recipientOf } from '../rows.ts'
import { typedFields } from '../typedFields.ts'

/** Number of events that are decoded. */
const MOST_EVENTS = 1000

type Executed = Exclude<TransactionLocation, { at: 'mempool' }>

/** All of a transaction but what it takes an execution to know. */
export default defineQuery(
  fields({ hash: hash32() }),
  async (dashboard, { hash }, { signal }): Promise<TransactionAnswer> => {
    const { chain } = dashboard.node.context
    await dashboard.index.sync(signal)
    const found = chain.findTransaction(hash)
    const { naming } = dashboard.work(signal)
    if (found !== undefined) return detailsOf(dashboard, found, naming)
    return { ...notFound(dashboard, hash), gone: await goneOf(dashboard, hash, naming) }
  },
)

/** @param found - as if it waited, if it was dropped */
async function detailsOf(
  dashboard: Dashboard,
  found: TransactionLocation,
  naming: Naming,
): Promise<TransactionDetails> {
  const { chain } = dashboard.node.context
  const executed = found.at === 'mempool' ? undefined : found
  const transaction = found.at === 'mempool' ? found.transaction : found.executed.transaction
  // All that can change is read in one turn.
  const moment = {
    place: executed === undefined ? null : transactionPlace(executed, dashboard.index),
    times: {
      accepted: wallTime(transaction.acceptedAt),
      preconfirmed: wallTime(executed?.executed.preconfirmedAt),
      sealed: found.at === 'sealed' ? wallTime(found.block.sealedAt) : null,
    },
    waiting: found.at === 'mempool' ? waitingOf(chain, found) : null,
    inBlock: executed === undefined ? { previous: null, next: null } : inBlock(executed),
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
    found: true,
    state: STATES[found.at],
    hash: transaction.hash,
    type: transaction.type,
    from: transaction.sender,
    to,
    nonce: Number(transaction.nonce),
    value: String(transaction.value),
    gasLimit: Number(transaction.gasLimit),
    maxFeePerGas: String(transaction.maxFeePerGas),
    maxPriorityFeePerGas: String(transaction.maxPriorityFeePerGas),
    impersonated: transaction.impersonated,
    call: { text, decoded },
    input: shownBytes(transaction.data),
    outcome: executed === undefined ? null : await outcomeOf(executed, naming),
    names: naming.names,
  }
}

/** The transaction as it was, if it was dropped a while ago at most. */
async function goneOf(dashboard: Dashboard, hash: Hex, naming: Naming): Promise<Gone | null> {
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
    time: wallTime(droppedAt),
    replacedBy,
    nextNonce: Number(next > counted ? next : counted),
  }
}

const STATES = { mempool: 'queued', pending: 'preconfirmed', sealed: 'sealed' } as const

function blockOf(found: Executed) {
  return found.at === 'sealed' ? found.block : found.view
}

function transactionPlace(found: Executed, index: ChainIndex): TransactionPlace {
  const { executed } = found
  const isSealed = found.at === 'sealed'
  const { number, timestamp } = isSealed ? found.block.header : found.view.environment
  return {
    position: index.firstOf(blockOf(found)) + executed.index,
    block: Number(number),
    blockHash: isSealed ? found.block.hash : null,
    timestamp: Number(timestamp),
    tick: executed.tick,
    index: executed.index,
  }
}

/** Reason why it waits: the missing nonces between that of its sender and its own. */
function waitingOf(
  { mempool, pending }: Chain,
  { transaction, runnable }: Extract<TransactionLocation, { at: 'mempool' }>,
): Waiting {
  if (runnable) return { runnable, missing: null }
  const { senderKey, nonce } = transaction
  const start = pending.state.account(senderKey)?.nonce ?? 0n
  const next = mempool.nextNonce(senderKey)
  const from = next > start ? next : start
  let to = from
  while (to + 1n < nonce && mempool.at(senderKey, to + 1n) === undefined) to++
  return { runnable, missing: { from: Number(from), to: Number(to) } }
}

function inBlock(found: Executed): Neighbours {
  const { executed } = blockOf(found)
  const hashAt = (index: number) => executed[index]?.transaction.hash ?? null
  const { index } = found.executed
  return { previous: hashAt(index - 1), next: hashAt(index + 1) }
}

function ofSender(context: BlockContext, found: TransactionLocation): Neighbours {
  const { senderKey, nonce } =
    found.at === 'mempool' ? found.transaction : found.executed.transaction
  const hashOf = (wanted: bigint) => {
    const other = wanted < 0n ? undefined : findBySender(context, senderKey, wanted)
    if (other === undefined) return null
    return other.at === 'mempool' ? other.transaction.hash : other.executed.transaction.hash
  }
  return { previous: hashOf(nonce - 1n), next: hashOf(nonce + 1n) }
}

async function outcomeOf(found: Executed, naming: Naming): Promise<Outcome> {
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
    fee: String(gasUsed * effectiveGasPrice),
    baseFeePerGas: String(baseFee),
    created,
    events,
    omittedEvents: logs.length - events.length,
  }
}
