import type { Chain } from '../chain/chain.ts'
import type { PendingView } from '../chain/pendingView.ts'
import { placeOf } from '../json/blockRef.ts'
import { formatReceipt } from '../json/formatReceipt.ts'
import { formatTransaction } from '../json/formatTransaction.ts'
import { createLogMatcher, type LogFilter, type LogMatcher } from '../json/logMatch.ts'
import { params } from '../json/params.ts'
import { logFilter } from '../json/schemas/logFilter.ts'
import { text } from '../json/schemas/numberSchemas.ts'
import { fail, nested, reader, want } from '../json/schemas/reader.ts'
import { isObject } from '../primitives/json.ts'
import { memoize } from '../primitives/memo.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { chainFeed } from './feed.ts'
import { defineKind } from './kinds.ts'

/**
 * Pre-confirmed transactions as JSON text. Those of the pending block are kept until the next one opens, because
 * `newFlashblocks` sends all of them at each tick.
 */
export class EncodedTransactions {
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
      text = JSON.stringify(formatTransaction(executed, placeOf(view)))
      this.#texts.set(executed, text)
    }
    return text
  }
}

/** The texts of a chain. */
export const encodedTransactions = memoize((_chain: Chain) => new EncodedTransactions())

/** A transaction that a tick has taken; its text is made when somebody first wants it. */
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

  /** The transaction, and beside it the outcome from its receipt (Base 0.8). */
  get text(): string {
    this.#text ??= this.#encode()
    return this.#text
  }

  #encode(): string {
    const { logs, gasUsed, status, cumulativeGasUsed, contractAddress, logsBloom } = formatReceipt(
      this.executed,
      placeOf(this.#view),
    )
    const outcome = { logs, gasUsed, status, cumulativeGasUsed, contractAddress, logsBloom }
    const transaction = this.#encoded.of(this.executed, this.#view)
    return `${transaction.slice(0, -1)},${JSON.stringify(outcome).slice(1)}`
  }

  matches(matcher: LogMatcher): boolean {
    const { logs, bloom } = this.executed
    return logs.length > 0 && matcher.mayMatch(bloom) && logs.some((log) => matcher.matches(log))
  }
}

const transactions = chainFeed<PreconfirmedTransaction>((chain, emit) => {
  const encoded = encodedTransactions(chain)
  return chain.onTick(({ view, executed }) => {
    for (const one of executed) emit(new PreconfirmedTransaction(one, view, encoded))
  })
})

/**
 * Sends the hash of each transaction when a tick has taken it; with `true`, the whole transaction with logs and
 * outcome; with a filter of logs, the whole of those that emitted a log it admits (Base).
 */
export const newFlashblockTransactions = defineKind(
  params(text(), fullOrFilter().optional()),
  ({ chain }, [, choice = false]) => {
    const feed = transactions(chain)
    if (choice === false) {
      return (push) =>
        feed.subscribe(({ executed }) => push(JSON.stringify(executed.transaction.hash)))
    }
    if (choice === true) return (push) => feed.subscribe((transaction) => push(transaction.text))
    const matcher = createLogMatcher(choice, chain.engine.crypto.keccak256)
    return (push) =>
      feed.subscribe((transaction) => {
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
