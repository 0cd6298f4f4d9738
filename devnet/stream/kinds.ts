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
import { Feed } from '../primitives/listeners.ts'
import { memoize } from '../primitives/memo.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { StartSubscription } from './subscriptions.ts'

/**
 * A kind of subscription. `args` are the parameters of `eth_subscribe`, beginning with the name of
 * the kind; they are checked before anything starts. @throws {InvalidParamsError}
 */
export type SubscriptionKind = (chain: Chain, args: readonly unknown[]) => StartSubscription

/** Infers the types of the parameters from their schema. */
function defineKind<Params extends readonly unknown[]>(
  params: PositionalParams<Params>,
  start: (chain: Chain, params: Params) => StartSubscription,
): SubscriptionKind {
  return (chain, args) => start(chain, params.read(args))
}

/** One feed per chain, made when it is first asked for. */
function chainFeed<Item>(
  source: (chain: Chain, emit: (item: Item) => void) => () => void,
): (chain: Chain) => Feed<Item> {
  return memoize((chain: Chain) => new Feed<Item>((emit) => source(chain, emit)))
}

const headers = chainFeed<string>((chain, emit) =>
  chain.onSeal((block) => emit(JSON.stringify(formatHeader(block)))),
)

/** Sends the header of each sealed block. */
const newHeads = defineKind(params(text()), (chain) => (push) => headers(chain).add(push))

const hashes = chainFeed<string>((chain, emit) =>
  chain.onAdmit(({ hash }) => emit(JSON.stringify(hash))),
)

const poolTransactions = chainFeed<string>((chain, emit) =>
  chain.onAdmit((transaction) => emit(JSON.stringify(formatPoolTransaction(transaction)))),
)

/**
 * Sends the hash of each transaction that the mempool accepts; with `true`, the transaction in its
 * pool form.
 */
const newPendingTransactions = defineKind(params(text(), flag().optional()), (chain, [, full]) => {
  const feed = full === true ? poolTransactions(chain) : hashes(chain)
  return (push) => feed.add(push)
})

/** Sends `false` once and then nothing, as reth and Base do: the node has nothing to sync with. */
const syncing = defineKind(params(text()), () => (push) => {
  push('false')
  return () => undefined
})

const sealedLogs = chainFeed<LogBatch>((chain, emit) =>
  chain.onSeal((block) => {
    if (block.executed.length === 0) return
    emit(new LogBatch(block.executed, block.header.logsBloom, blockRefOf(block)))
  }),
)

/** Sends the logs of each block when it is sealed. */
const logs = logsKind(sealedLogs)

const preconfirmedLogs = chainFeed<LogBatch>((chain, emit) =>
  chain.onTick(({ view, executed }) => emit(new LogBatch(executed, view.bloom, blockRefOf(view)))),
)

/** Sends each log when it is pre-confirmed, with 32 zero bytes as block hash (Base). */
const pendingLogs = logsKind(preconfirmedLogs)

/**
 * A kind that sends logs, one per message. Only addresses and topics of its filter count: new logs
 * are in no range.
 */
function logsKind(feed: (chain: Chain) => Feed<LogBatch>): SubscriptionKind {
  const everyLog: LogCriteria = { addresses: [], topics: [] }
  return defineKind(params(text(), logFilter().optional()), (chain, [, filter = everyLog]) => {
    const matcher = createLogMatcher(filter, chain.engine.crypto.keccak256)
    return (push) => feed(chain).add((batch) => batch.sendTo(push, matcher))
  })
}

/** The logs of a block or a tick for many subscribers. Each log is encoded at most once. */
class LogBatch {
  readonly #executed: readonly ExecutedTransaction[]
  readonly #bloom: Uint8Array
  readonly #block: BlockRef
  readonly #texts = new Map<RawLog, string>()

  /** @param bloom - of all these logs, and perhaps of more; 256 bytes */
  constructor(executed: readonly ExecutedTransaction[], bloom: Uint8Array, block: BlockRef) {
    this.#executed = executed
    this.#bloom = bloom
    this.#block = block
  }

  /** Sends the logs that match, one by one, in the order of the chain. */
  sendTo(push: (text: string) => void, matcher: LogMatcher): void {
    if (!matcher.mayMatch(this.#bloom)) return
    for (const executed of this.#executed) {
      if (executed.logs.length === 0 || !matcher.mayMatch(executed.bloom)) continue
      for (const [index, log] of executed.logs.entries()) {
        if (matcher.matches(log)) push(this.#text(log, index, executed))
      }
    }
  }

  #text(log: RawLog, index: number, executed: ExecutedTransaction): string {
    let text = this.#texts.get(log)
    if (text === undefined) {
      text = JSON.stringify(formatLog(log, index, executed, this.#block))
      this.#texts.set(log, text)
    }
    return text
  }
}

const flashblocks = chainFeed<string>((chain, emit) =>
  chain.onTick(({ view }) => emit(encodeBlock(view, encodedTransactions(chain)))),
)

/** Sends the pending block with its full transactions after each tick that took some (Base). */
const newFlashblocks = defineKind(params(text()), (chain) => (push) => flashblocks(chain).add(push))

const NO_TRANSACTIONS = '"transactions":[]'

/** `formatBlock(view, true)` as JSON; transactions encoded before are not encoded again. */
function encodeBlock(view: PendingView, encoded: EncodedTransactions): string {
  const shell = JSON.stringify({ ...formatBlock(view, false), transactions: [] })
  const transactions = view.executed.map((executed) => encoded.of(executed, view)).join(',')
  const at = shell.indexOf(NO_TRANSACTIONS) + NO_TRANSACTIONS.length - 1
  return `${shell.slice(0, at)}${transactions}${shell.slice(at)}`
}

/**
 * Pre-confirmed transactions as JSON text. Those of the pending block are kept until the next one
 * opens, because `newFlashblocks` sends all of them at each tick.
 */
class EncodedTransactions {
  readonly #texts = new Map<ExecutedTransaction, string>()
  #environment: PendingView['environment'] | undefined

  /** The text of one transaction of `view`. */
  of(executed: ExecutedTransaction, view: PendingView): string {
    if (view.environment !== this.#environment) {
      this.#environment = view.environment
      this.#texts.clear()
    }
    let text = this.#texts.get(executed)
    if (text === undefined) {
      text = JSON.stringify(formatTransaction(executed, blockRefOf(view)))
      this.#texts.set(executed, text)
    }
    return text
  }
}

const encodedTransactions = memoize((_chain: Chain) => new EncodedTransactions())

const preconfirmed = chainFeed<PreconfirmedTransaction>((chain, emit) => {
  const encoded = encodedTransactions(chain)
  return chain.onTick(({ view, executed }) => {
    for (const one of executed) emit(new PreconfirmedTransaction(one, view, encoded))
  })
})

/**
 * Sends the hash of each pre-confirmed transaction; with `true`, the whole transaction with logs
 * and outcome; with a filter of logs, the whole of those with a log that matches (Base).
 */
const newFlashblockTransactions = defineKind(
  params(text(), fullOrFilter().optional()),
  (chain, [, choice = false]) => {
    const feed = preconfirmed(chain)
    if (choice === false) {
      return (push) => feed.add(({ executed }) => push(JSON.stringify(executed.transaction.hash)))
    }
    if (choice === true) return (push) => feed.add((transaction) => push(transaction.text))
    const matcher = createLogMatcher(choice, chain.engine.crypto.keccak256)
    return (push) =>
      feed.add((transaction) => {
        if (transaction.matches(matcher)) push(transaction.text)
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

/** A transaction that a tick has taken; its text is made when it is first needed. */
class PreconfirmedTransaction {
  readonly executed: ExecutedTransaction
  readonly #view: PendingView
  readonly #encoded: EncodedTransactions
  #text: string | undefined

  constructor(executed: ExecutedTransaction, view: PendingView, encoded: EncodedTransactions) {
    this.executed = executed
    this.#view = view
    this.#encoded = encoded
  }

  /** The transaction with the outcome from its receipt (Base 0.8). */
  get text(): string {
    this.#text ??= this.#encode()
    return this.#text
  }

  matches(matcher: LogMatcher): boolean {
    const { logs, bloom } = this.executed
    return logs.length > 0 && matcher.mayMatch(bloom) && logs.some((log) => matcher.matches(log))
  }

  #encode(): string {
    const { logs, gasUsed, status, cumulativeGasUsed, contractAddress, logsBloom } = formatReceipt(
      this.executed,
      blockRefOf(this.#view),
    )
    const outcome = { logs, gasUsed, status, cumulativeGasUsed, contractAddress, logsBloom }
    const transaction = this.#encoded.of(this.executed, this.#view)
    return `${transaction.slice(0, -1)},${JSON.stringify(outcome).slice(1)}`
  }
}

/** The kinds by the name that `eth_subscribe` takes: geth's, then Base's for pre-confirmed data. */
export const subscriptionKinds: ReadonlyMap<string, SubscriptionKind> = new Map([
  ['newHeads', newHeads],
  ['logs', logs],
  ['newPendingTransactions', newPendingTransactions],
  ['syncing', syncing],
  ['newFlashblocks', newFlashblocks],
  ['newFlashblockTransactions', newFlashblockTransactions],
  ['pendingLogs', pendingLogs],
])
