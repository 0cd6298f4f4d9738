import type { Chain } from '../chain/chain.ts'
import type { PendingView } from '../chain/pendingView.ts'
import { placeOf } from '../json/blockRef.ts'
import { formatBlock, formatHeader } from '../json/formatBlock.ts'
import { formatPoolTransaction } from '../json/formatTransaction.ts'
import { createLogMatcher, type LogCriteria } from '../json/logMatch.ts'
import { type PositionalParams, params } from '../json/params.ts'
import { logFilter } from '../json/schemas/logFilter.ts'
import { flag, text } from '../json/schemas/numberSchemas.ts'
import type { RpcContext } from '../rpc/context.ts'
import { chainFeed, type Feed } from './feed.ts'
import { LogBatch } from './logBatch.ts'
import {
  type EncodedTransactions,
  encodedTransactions,
  newFlashblockTransactions,
} from './newFlashblockTransactions.ts'
import type { StartSubscription } from './subscriptions.ts'

/**
 * What can be subscribed to. `args` are the parameters of `eth_subscribe`, the name of the kind first; they are
 * checked before anything starts. @throws {InvalidParamsError}
 */
export type SubscriptionKind = (context: RpcContext, args: readonly unknown[]) => StartSubscription

/** Defines a kind; exists so that the types of the parameters follow from their schema. */
export function defineKind<Params extends readonly unknown[]>(
  params: PositionalParams<Params>,
  start: (context: RpcContext, params: Params) => StartSubscription,
): SubscriptionKind {
  return (context, args) => start(context, params.read(args))
}

const EVERY_LOG: LogCriteria = { addresses: [], topics: [] }

/** A kind that sends logs, one a message. Only addresses and topics of its filter count: what is new has no range. */
export function logsKind(feed: (chain: Chain) => Feed<LogBatch>): SubscriptionKind {
  return defineKind(params(text(), logFilter().optional()), ({ chain }, [, filter = EVERY_LOG]) => {
    const matcher = createLogMatcher(filter, chain.engine.crypto.keccak256)
    return (push) => feed(chain).subscribe((batch) => batch.sendTo(push, matcher))
  })
}

const sealedLogs = chainFeed<LogBatch>((chain, emit) =>
  chain.onSeal((block) => {
    if (block.executed.length === 0) return
    emit(new LogBatch(block.executed, block.header.logsBloom, placeOf(block)))
  }),
)

/** Sends the logs of each block when it is sealed. */
export const logs = logsKind(sealedLogs)

const preconfirmedLogs = chainFeed<LogBatch>((chain, emit) =>
  chain.onTick(({ view, executed }) => emit(new LogBatch(executed, view.bloom, placeOf(view)))),
)

/** Sends each log when it is pre-confirmed, with 32 zero bytes as block hash (Base). */
export const pendingLogs = logsKind(preconfirmedLogs)

const heads = chainFeed<string>((chain, emit) =>
  chain.onSeal((block) => emit(JSON.stringify(formatHeader(block)))),
)

/** Sends the header of each block when it is sealed; never the pending one. */
export const newHeads = defineKind(
  params(text()),
  ({ chain }) =>
    (push) =>
      heads(chain).subscribe(push),
)

const hashes = chainFeed<string>((chain, emit) =>
  chain.onAdmit(({ hash }) => emit(JSON.stringify(hash))),
)

const transactions = chainFeed<string>((chain, emit) =>
  chain.onAdmit((transaction) => emit(JSON.stringify(formatPoolTransaction(transaction)))),
)

/** Sends the hash of each transaction when the mempool accepts it; with `true`, the transaction in its pool form. */
export const newPendingTransactions = defineKind(
  params(text(), flag().optional()),
  ({ chain }, [, full]) => {
    const feed = full === true ? transactions(chain) : hashes(chain)
    return (push) => feed.subscribe(push)
  },
)

/** Sends `false` once, as reth and Base do, and then nothing: there is nobody to synchronise with. */
export const syncing = defineKind(params(text()), () => (push) => {
  push('false')
  return () => undefined
})

const flashblocks = chainFeed<string>((chain, emit) =>
  chain.onTick(({ view }) => emit(encodeBlock(view, encodedTransactions(chain)))),
)

/** Sends the pending block, with its transactions in full, after each tick that took some (Base). */
export const newFlashblocks = defineKind(
  params(text()),
  ({ chain }) =>
    (push) =>
      flashblocks(chain).subscribe(push),
)

const NO_TRANSACTIONS = '"transactions":[]'

/** `formatBlock(view, true)` as JSON, of which only what is new is encoded. */
function encodeBlock(view: PendingView, encoded: EncodedTransactions): string {
  const shell = JSON.stringify({ ...formatBlock(view, false), transactions: [] })
  const transactions = view.executed.map((executed) => encoded.of(executed, view)).join(',')
  const at = shell.indexOf(NO_TRANSACTIONS) + NO_TRANSACTIONS.length - 1
  return `${shell.slice(0, at)}${transactions}${shell.slice(at)}`
}

/** The kinds by the name that `eth_subscribe` takes: geth's, then Base's for what is pre-confirmed. */
export const subscriptionKinds: ReadonlyMap<string, SubscriptionKind> = new Map([
  ['newHeads', newHeads],
  ['logs', logs],
  ['newPendingTransactions', newPendingTransactions],
  ['syncing', syncing],
  ['newFlashblocks', newFlashblocks],
  ['newFlashblockTransactions', newFlashblockTransactions],
  ['pendingLogs', pendingLogs],
])
