import type { Chain } from '../chain/chain.ts'
import type { PendingView } from '../chain/pendingView.ts'
import type { RawLog } from '../engine/types.ts'
import { type BlockRef, blockRefOf } from '../json/blockRef.ts'
import { formatBlock, formatHeader } from '../json/formatBlock.ts'
import { formatLog } from '../json/formatLog.ts'
import { formatReceipt } from '../json/formatReceipt.ts'
import { formatPoolTransaction, formatTransaction } from '../json/formatTransaction.ts'
import {
  createLogMatcher,
  type LogCriteria,
  type LogFilter,
  type LogMatcher,
} from '../json/logMatch.ts'
import {
  fail,
  flag,
  nested,
  type PositionalParams,
  params,
  reader,
  text,
  want,
} from '../json/params.ts'
import { logFilter } from '../json/schemas/logFilter.ts'
import { isObject } from '../primitives/json.ts'
import { SharedText } from '../primitives/jsonText.ts'
import type { Feed } from '../primitives/listeners.ts'
import { memoize } from '../primitives/memo.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { chainFeed } from './chainFeed.ts'
import type { Push, StartSubscription } from './subscriptions.ts'

/**
 * A kind of subscription. `args` are the parameters of `eth_subscribe`, beginning with the name of
 * the kind; they are checked before anything starts. @throws {InvalidParamsError}
 */
export type SubscriptionKind = (chain: Chain, args: readonly unknown[]) => StartSubscription

/** Makes a kind whose `start` gets the parameters as the schema reads them. */
function defineKind<Params extends readonly unknown[]>(
  params: PositionalParams<Params>,
  start: (chain: Chain, params: Params) => StartSubscription,
): SubscriptionKind {
  return (chain, args) => start(chain, params.read(args))
}

function shared(value: unknown): SharedText {
  return new SharedText(JSON.stringify(value))
}

const headers = chainFeed<SharedText>((chain, emit) =>
  chain.onSeal((block) => emit(shared(formatHeader(block)))),
)

/** Sends the header of each sealed block. */
const newHeads = defineKind(params(text()), (chain) => (push) => headers(chain).add(push))

const hashes = chainFeed<SharedText>((chain, emit) =>
  chain.onAdmit(({ hash }) => emit(shared(hash))),
)

const poolTransactions = chainFeed<SharedText>((chain, emit) =>
  chain.onAdmit((transaction) => emit(shared(formatPoolTransaction(transaction)))),
)

/**
 * Sends the hash of each transaction that the mempool accepts; with `true`, the transaction itself,
 * without a block.
 */
const newPendingTransactions = defineKind(params(text(), flag().optional()), (chain, [, full]) => {
  const feed = full === true ? poolTransactions(chain) : hashes(chain)
  return (push) => feed.add(push)
})

/** Sends `false` once and then nothing, as reth and Base do: the node has nothing to sync with. */
const syncing = defineKind(params(text()), () => (push) => {
  push(shared(false))
  return () => undefined
})

const sealedLogs = chainFeed<SendLogs>((chain, emit) => {
  const send = (block: SealedBlock, removed: boolean) => {
    if (block.executed.length === 0) return
    emit(logBatch(block.executed, block.header.logsBloom, blockRefOf(block), removed))
  }
  const stops = [
    chain.onSeal((block) => send(block, false)),
    // Oldest first, as in geth.
    chain.onAbandon((blocks) => {
      for (const block of blocks) send(block, true)
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
})

/** Sends the logs of each block when it is sealed, and again as removed if it is reorganised. */
const logs = logsKind(sealedLogs)

const preconfirmedLogs = chainFeed<SendLogs>((chain, emit) =>
  chain.onTick(({ view, executed }) => emit(logBatch(executed, view.bloom, blockRefOf(view)))),
)

/** Sends each log when it is pre-confirmed, with 32 zero bytes as block hash (Base). */
const pendingLogs = logsKind(preconfirmedLogs)

/**
 * A kind that sends logs, one per message. The block range of its filter is ignored: only new logs
 * are sent.
 */
function logsKind(feed: (chain: Chain) => Feed<SendLogs>): SubscriptionKind {
  const everyLog: LogCriteria = { addresses: [], topics: [] }
  return defineKind(params(text(), logFilter().optional()), (chain, [, filter = everyLog]) => {
    const matcher = createLogMatcher(filter, chain.engine.crypto.keccak256)
    return (push) => feed(chain).add((send) => send(push, matcher))
  })
}

/** Sends the matching logs, one per message, in the order of the chain. */
type SendLogs = (push: Push, matcher: LogMatcher) => void

/**
 * The logs of a block or a tick for many subscribers. Each log is encoded at most once.
 *
 * @param bloom - 256 bytes; contains all these logs, and possibly more
 * @param removed - whether their block was taken back. Default: false
 */
function logBatch(
  batch: readonly ExecutedTransaction[],
  bloom: Uint8Array,
  block: BlockRef,
  removed = false,
): SendLogs {
  const texts = new Map<RawLog, SharedText>()
  const encode = (log: RawLog, index: number, executed: ExecutedTransaction): SharedText => {
    const text = texts.get(log) ?? shared({ ...formatLog(log, index, executed, block), removed })
    texts.set(log, text)
    return text
  }
  return (push, matcher) => {
    if (!matcher.mayMatch(bloom)) return
    for (const executed of batch) {
      if (executed.logs.length === 0 || !matcher.mayMatch(executed.bloomBits)) continue
      for (const [index, log] of executed.logs.entries()) {
        if (matcher.matches(log)) push(encode(log, index, executed))
      }
    }
  }
}

const flashblocks = chainFeed<SharedText>((chain, emit) =>
  chain.onTick(({ view }) => emit(new SharedText(encodeBlock(view, transactionEncoder(chain))))),
)

/** Sends the pending block with its full transactions after each tick that adds some (Base). */
const newFlashblocks = defineKind(params(text()), (chain) => (push) => flashblocks(chain).add(push))

const NO_TRANSACTIONS = '"transactions":[]'

/** `formatBlock(view, true)` as JSON text; `encode` may cache transactions. */
function encodeBlock(view: PendingView, encode: EncodeTransaction): string {
  const shell = JSON.stringify({ ...formatBlock(view, false), transactions: [] })
  const transactions = view.executed.map((executed) => encode(executed, view)).join(',')
  const at = shell.indexOf(NO_TRANSACTIONS) + NO_TRANSACTIONS.length - 1
  return `${shell.slice(0, at)}${transactions}${shell.slice(at)}`
}

/** The JSON text of one pre-confirmed transaction of `view`. */
type EncodeTransaction = (executed: ExecutedTransaction, view: PendingView) => string

/**
 * Caches the JSON text of each transaction until the next pending block opens, because
 * `newFlashblocks` sends all of them at each tick.
 */
const transactionEncoder = memoize((_chain: Chain): EncodeTransaction => {
  const texts = new Map<ExecutedTransaction, string>()
  let environment: PendingView['environment'] | undefined
  return (executed, view) => {
    if (view.environment !== environment) {
      environment = view.environment
      texts.clear()
    }
    const text =
      texts.get(executed) ?? JSON.stringify(formatTransaction(executed, blockRefOf(view)))
    texts.set(executed, text)
    return text
  }
})

/** A transaction that a tick has executed; its JSON texts are made on first use. */
interface Preconfirmed {
  readonly executed: ExecutedTransaction
  hash(): SharedText
  /** With its outcome. */
  whole(): SharedText
}

const preconfirmed = chainFeed<Preconfirmed>((chain, emit) => {
  const encode = transactionEncoder(chain)
  return chain.onTick(({ view, executed: all }) => {
    for (const executed of all) {
      let hash: SharedText | undefined
      let whole: SharedText | undefined
      emit({
        executed,
        hash() {
          hash ??= shared(executed.transaction.hash)
          return hash
        },
        whole() {
          whole ??= new SharedText(withOutcome(encode(executed, view), executed, view))
          return whole
        },
      })
    }
  })
})

/** The JSON text of a transaction, with the outcome from its receipt added (Base 0.8). */
function withOutcome(transaction: string, executed: ExecutedTransaction, view: PendingView) {
  const receipt = formatReceipt(executed, blockRefOf(view))
  const { logs, gasUsed, status, cumulativeGasUsed, contractAddress, logsBloom } = receipt
  const outcome = { logs, gasUsed, status, cumulativeGasUsed, contractAddress, logsBloom }
  return `${transaction.slice(0, -1)},${JSON.stringify(outcome).slice(1)}`
}

/**
 * Sends the hash of each pre-confirmed transaction; with `true`, the whole transaction with logs
 * and outcome; with a log filter, the same, but only if one of its logs matches (Base).
 */
const newFlashblockTransactions = defineKind(
  params(text(), fullOrFilter().optional()),
  (chain, [, choice = false]) => {
    const feed = preconfirmed(chain)
    if (choice === false) {
      return (push) => feed.add(({ hash }) => push(hash()))
    }
    if (choice === true) return (push) => feed.add(({ whole }) => push(whole()))
    const matcher = createLogMatcher(choice, chain.engine.crypto.keccak256)
    return (push) =>
      feed.add(({ executed: { logs, bloomBits }, whole }) => {
        if (logs.length === 0 || !matcher.mayMatch(bloomBits)) return
        if (logs.some((log) => matcher.matches(log))) push(whole())
      })
  },
)

function fullOrFilter() {
  return reader((value, context): boolean | LogFilter => {
    if (typeof value === 'boolean') return value
    if (isObject(value)) return nested(logFilter(), value, context)
    return fail(context, want('true, false or a filter of logs', value))
  })
}

/** Kinds by their name in `eth_subscribe`: geth's, then Base's for pre-confirmed data. */
export const subscriptionKinds: ReadonlyMap<string, SubscriptionKind> = new Map([
  ['newHeads', newHeads],
  ['logs', logs],
  ['newPendingTransactions', newPendingTransactions],
  ['syncing', syncing],
  ['newFlashblocks', newFlashblocks],
  ['newFlashblockTransactions', newFlashblockTransactions],
  ['pendingLogs', pendingLogs],
])
