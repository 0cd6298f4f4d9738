import type { PendingView } from '../chain/building/pendingView.ts'
import type { Chain } from '../chain/chain.ts'
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
import { withMilliseconds } from '../json/milliseconds.ts'
import { params } from '../json/params.ts'
import type { FormattedLog } from '../json/receiptForm.ts'
import { logFilter } from '../json/schemas/logFilter.ts'
import type { KindName, Profile } from '../options/profile.ts'
import { isObject } from '../primitives/json.ts'
import { SharedText, sharedJson } from '../primitives/jsonText.ts'
import type { Feed } from '../primitives/listeners.ts'
import { memoize } from '../primitives/memo.ts'
import { flag, optional, type Reader, refuse, text } from '../primitives/reader.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction, RawLog } from '../protocol/receipt.ts'
import { chainFeed } from './chainFeed.ts'
import * as megaeth from './miniBlockKinds.ts'
import { receiptsKind } from './receiptsKind.ts'
import { shreds } from './shredsKind.ts'
import { everySlice, type SliceSource, takingTicks } from './slices.ts'
import { defineKind, type SubscriptionKind } from './subscriptionKind.ts'
import type { Push } from './subscriptions.ts'
import { slices as xlayerSlices } from './xlayerKind.ts'

/** Converts a message about a block to the form of the profile. */
type Shown = (block: SealedBlock, value: object) => unknown

const asItIs: Shown = (_, value) => value

const inMilliseconds: Shown = (block, value) => withMilliseconds(() => block, value)

/** A kind that sends the header of each sealed block. */
function headersKind(show: Shown): SubscriptionKind {
  const headers = chainFeed<SharedText>((chain, emit) =>
    chain.events.sealed.add((block) => emit(sharedJson(show(block, formatHeader(block))))),
  )
  return defineKind(params(text()), (chain) => (push) => headers(chain).add(push))
}

const hashes = chainFeed<SharedText>((chain, emit) =>
  chain.events.admitted.add(({ hash }) => emit(sharedJson(hash))),
)

const poolTransactions = chainFeed<SharedText>((chain, emit) =>
  chain.events.admitted.add((transaction) => emit(sharedJson(formatPoolTransaction(transaction)))),
)

/**
 * Sends the hash of each transaction that the mempool accepts; with `true`, the transaction itself,
 * without a block.
 */
const newPendingTransactions = defineKind(params(text(), optional(flag())), (chain, [, full]) => {
  const feed = full === true ? poolTransactions(chain) : hashes(chain)
  return (push) => feed.add(push)
})

/** Sends `false` once and then nothing, as reth and Base do: the node has nothing to sync with. */
const syncing = defineKind(params(text()), () => (push) => {
  push(sharedJson(false))
  return () => undefined
})

/**
 * A kind that sends the logs of each block when it is sealed, and again as removed if it is
 * reorganised.
 */
function sealedLogsKind(show: Shown): SubscriptionKind {
  const sealedLogs = chainFeed<SendLogs>((chain, emit) => {
    const send = (block: SealedBlock, removed: boolean) => {
      const { executed, header } = block
      if (executed.length === 0) return
      const bloom = header.logsBloom
      const shownAs = (log: FormattedLog) => show(block, { ...log, removed })
      emit(logBatch({ executed, bloom, block: blockRefOf(block), shownAs }))
    }
    const stops = [
      chain.events.sealed.add((block) => send(block, false)),
      // Oldest first, as in geth.
      chain.events.abandoned.add((blocks) => {
        for (const block of blocks) send(block, true)
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  })
  return logsKind(sealedLogs)
}

/** A kind that sends each log when it is pre-confirmed, with the hash of the pending block. */
function pendingLogsKind(
  slices: SliceSource,
  shownAs: (log: FormattedLog) => unknown = (log) => log,
): SubscriptionKind {
  return logsKind(
    chainFeed<SendLogs>((chain, emit) =>
      slices(chain, ({ view, added: executed }) => {
        const block = blockRefOf(view)
        emit(logBatch({ executed, bloom: view.bloom, block, shownAs }))
      }),
    ),
  )
}

/**
 * A kind that sends logs, one per message. The block range of its filter is ignored: only new logs
 * are sent.
 */
function logsKind(feed: (chain: Chain) => Feed<SendLogs>): SubscriptionKind {
  const everyLog: LogCriteria = { addresses: [], topics: [] }
  return defineKind(params(text(), optional(logFilter())), (chain, [, filter = everyLog]) => {
    const matcher = createLogMatcher(filter, chain.engine.crypto.keccak256)
    return (push) => feed(chain).add((send) => send(push, matcher))
  })
}

/** Sends the matching logs, one per message, in the order of the chain. */
type SendLogs = (push: Push, matcher: LogMatcher) => void

/** The logs of a block or a tick. */
interface LogBatch {
  readonly executed: readonly ExecutedTransaction[]
  /** 256 bytes; contains all these logs, and possibly more. */
  readonly bloom: Uint8Array
  readonly block: BlockRef
  readonly shownAs: (log: FormattedLog) => unknown
}

/** Logs for many subscribers. Each log is encoded at most once. */
function logBatch({ executed: batch, bloom, block, shownAs }: LogBatch): SendLogs {
  const texts = new Map<RawLog, SharedText>()
  const encode = (log: RawLog, index: number, executed: ExecutedTransaction): SharedText => {
    const text = texts.get(log) ?? sharedJson(shownAs(formatLog(log, index, executed, block)))
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

/** Sends the pending block with its full transactions (Base). */
function newFlashblocksKind(slices: SliceSource): SubscriptionKind {
  const blocks = chainFeed<SharedText>((chain, emit) =>
    slices(chain, ({ view }) => emit(new SharedText(encodeBlock(view, transactionEncoder(chain))))),
  )
  return defineKind(params(text()), (chain) => (push) => blocks(chain).add(push))
}

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

/** A transaction that a slice has added; its JSON texts are made on first use. */
interface Preconfirmed {
  readonly executed: ExecutedTransaction
  hash(): SharedText
  /** The transaction with its outcome. */
  whole(): SharedText
}

function preconfirmedFeed(slices: SliceSource) {
  return chainFeed<Preconfirmed>((chain, emit) => {
    const encode = transactionEncoder(chain)
    return slices(chain, ({ view, added }) => {
      for (const executed of added) {
        let hash: SharedText | undefined
        let whole: SharedText | undefined
        emit({
          executed,
          hash() {
            hash ??= sharedJson(executed.transaction.hash)
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
}

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
function newFlashblockTransactionsKind(slices: SliceSource): SubscriptionKind {
  const preconfirmed = preconfirmedFeed(slices)
  return defineKind(params(text(), optional(fullOrFilter)), (chain, [, choice = false]) => {
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
  })
}

const fullOrFilter: Reader<boolean | LogFilter> = (value, context) => {
  if (typeof value === 'boolean') return value
  if (isObject(value)) return logFilter()(value, context)
  return refuse(context, value, 'true, false or a filter of logs')
}

/** A kind with nothing to send; its parameters are checked all the same. */
function silent(kind: SubscriptionKind): SubscriptionKind {
  return (chain, args) => {
    kind(chain, args)
    return () => () => undefined
  }
}

/** Base's kinds for pre-confirmed data. */
function baseKinds(slices: SliceSource) {
  return {
    newFlashblocks: newFlashblocksKind(slices),
    newFlashblockTransactions: newFlashblockTransactionsKind(slices),
    pendingLogs: pendingLogsKind(slices),
  }
}

/** geth's kinds, then Base's and X Layer's for pre-confirmed data. */
const kinds: Readonly<Record<KindName, SubscriptionKind>> = {
  newHeads: headersKind(asItIs),
  logs: sealedLogsKind(asItIs),
  transactionReceipts: receiptsKind(asItIs),
  newPendingTransactions,
  syncing,
  ...baseKinds(everySlice),
  flashblocks: xlayerSlices,
  shreds,
  miniBlocks: megaeth.miniBlocks,
  stateChanges: megaeth.stateChanges,
}

/** The kinds that profile `plain` sends less often than {@link kinds}. */
const kindsOfTicks: Partial<typeof kinds> = baseKinds(takingTicks)

/** The kinds with timestamps, in milliseconds. */
const kindsInMilliseconds: Partial<typeof kinds> = {
  newHeads: headersKind(inMilliseconds),
  logs: sealedLogsKind(inMilliseconds),
  transactionReceipts: receiptsKind(inMilliseconds),
}

const earlyLogs: Readonly<Record<Exclude<Profile['logs'], 'the seal'>, SubscriptionKind>> = {
  'pre-confirmation, `null`': pendingLogsKind(takingTicks, (log) => ({ ...log, blockHash: null })),
  'pre-confirmation, from and to `pending` only': (chain, args) => {
    const [, filter] = args
    const isEarly =
      isObject(filter) && filter.fromBlock === 'pending' && filter.toBlock === 'pending'
    return (isEarly ? megaethLogs : kinds.logs)(chain, args)
  },
}

const megaethLogs = pendingLogsKind(takingTicks)

/** The kinds of a profile by their name in `eth_subscribe`. */
export const subscriptionKinds = memoize(
  (profile: Profile): ReadonlyMap<string, SubscriptionKind> => {
    const { kinds: names, milliseconds, silentKinds, preconfirmedEvents, logs } = profile
    const own = {
      ...kinds,
      ...(milliseconds ? kindsInMilliseconds : undefined),
      ...(preconfirmedEvents === 'ticks that took something' ? kindsOfTicks : undefined),
      ...(logs === 'the seal' ? undefined : { logs: earlyLogs[logs] }),
      ...(names.includes('miniBlocks') ? { newHeads: megaeth.newHeads } : undefined),
    }
    return new Map(
      names.map((name) => [name, silentKinds.includes(name) ? silent(own[name]) : own[name]]),
    )
  },
)
