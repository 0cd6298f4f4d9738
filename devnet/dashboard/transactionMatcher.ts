import { type Hex, toHex } from '../primitives/hex.ts'
import { choice, flag, optional, text } from '../primitives/reader.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { askContracts, entriesOf } from '../rpc/naming/contractNames.ts'
import { STANDARD_ABI } from '../rpc/naming/standardAbi.ts'
import type { Dashboard } from './dashboard.ts'
import { readTerms, type Term } from './filterTerms.ts'
import type { Naming } from './naming.ts'
import { fields } from './query.ts'
import { recipientOf } from './rows.ts'

const STATES = ['queued', 'preconfirmed', 'sealed', 'dropped'] as const

export type TransactionState = (typeof STATES)[number]

/** All that are given must fit. */
export const TRANSACTION_FILTER = fields({
  state: optional(choice(STATES, `one of ${STATES.join(', ')}`)),
  reverted: optional(flag()),
  /** Terms as typed, e.g. `from:"Account #9" function:withdraw block:20..30 status:reverted`. */
  text: optional(text('a filter', { max: 1000 })),
})

export type TransactionFilter = NonNullable<(typeof TRANSACTION_FILTER)['given']>

/** A transaction as far as a filter looks at it. */
interface Candidate {
  readonly state: TransactionState
  readonly transaction: ChainTransaction
  /** `undefined` while it waits. */
  readonly executed?: ExecutedTransaction
  readonly block?: number
}

/** Names, in lower case, of what a transaction calls or creates. */
type Callee = Readonly<Partial<Record<'contract' | 'function' | 'symbol', string | undefined>>>

/** Number of callees that one answer remembers. */
const MOST_CALLEES = 10_000

/** Order of terms: names are looked up last. */
const ORDER: readonly Term['key'][] = ['status', 'block', 'from', 'to', 'any', 'event']

/**
 * Tells which transactions pass a filter. It compares bytes, and finds the names of each contract
 * and function once: what a row shows is decoded of those that pass only.
 */
export class TransactionMatcher {
  readonly #dashboard: Dashboard
  readonly #naming: Naming
  readonly #terms: readonly Term[]
  readonly #callees = new Map<string, Callee>()
  readonly #topics = new Map<string, readonly Uint8Array[]>()

  /** @throws {InvalidParamsError} with a sentence, if a term has no meaning */
  constructor(dashboard: Dashboard, naming: Naming, { state, reverted, text }: TransactionFilter) {
    this.#dashboard = dashboard
    this.#naming = naming
    const given: Term[] = state === undefined ? [] : [{ key: 'status', status: state }]
    if (reverted !== undefined) {
      given.push({ key: 'status', status: reverted ? 'reverted' : 'success' })
    }
    const place = ({ key }: Term) => ORDER.indexOf(key) + (ORDER.includes(key) ? 0 : ORDER.length)
    this.#terms = [...given, ...readTerms(text ?? '')].sort(
      (one, other) => place(one) - place(other),
    )
  }

  /** True if transactions of a state can pass. */
  wants(state: TransactionState): boolean {
    const isExecuted = state === 'sealed' || state === 'preconfirmed'
    return this.#terms.every(
      (term) =>
        term.key !== 'status' ||
        term.status === state ||
        (isExecuted && (term.status === 'reverted' || term.status === 'success')),
    )
  }

  async fits(candidate: Candidate): Promise<boolean> {
    for (const term of this.#terms) {
      const result = this.#fits(term, candidate)
      if (!(typeof result === 'boolean' ? result : await result)) return false
    }
    return true
  }

  /** Fits, as far as a hash tells: of one that was dropped, nothing else is known. */
  fitsDropped(hash: Hex): boolean {
    return this.#terms.every((term) =>
      term.key === 'any'
        ? hash.startsWith(term.text)
        : term.key === 'status' && term.status === 'dropped',
    )
  }

  #fits(term: Term, candidate: Candidate): boolean | Promise<boolean> {
    const { transaction, executed, state, block = -1 } = candidate
    switch (term.key) {
      case 'status':
        if (term.status === 'reverted') return executed?.success === false
        return term.status === (term.status === 'success' && executed?.success ? 'success' : state)
      case 'block':
        return term.first <= block && block <= term.last
      case 'from':
        return this.#isParty(transaction.sender, term.text)
      case 'to':
        return (
          this.#isParty(otherParty(candidate), term.text) ||
          this.#callee(candidate).then((callee) =>
            [callee.contract, callee.symbol].includes(term.text),
          )
        )
      case 'any':
        return this.#fitsAny(term.text, candidate)
      case 'event':
        return executed === undefined || executed.logs.length === 0
          ? false
          : this.#topicsOf(term.text).then((topics) => hasEvent(executed, topics))
      case 'contract':
      case 'function': {
        const { key, text } = term
        return this.#callee(candidate).then((callee) => callee[key] === text)
      }
    }
  }

  #fitsAny(text: string, candidate: Candidate): boolean | Promise<boolean> {
    const { hash, sender, data } = candidate.transaction
    const other = otherParty(candidate)
    if (text.startsWith('0x')) {
      const selector = text.length > 10 ? '' : toHex(data.subarray(0, 4))
      return [hash, sender, other, selector].some((hex) => hex?.startsWith(text) === true)
    }
    if (/^account #\d+$/.test(text))
      return this.#isParty(sender, text) || this.#isParty(other, text)
    return this.#callee(candidate).then((callee) =>
      Object.values(callee).some((name) => name?.includes(text) === true),
    )
  }

  /** True if an address begins with the text, or is the account of that name. */
  #isParty(address: Hex | null, text: string): boolean {
    if (address === null) return false
    if (text.startsWith('0x')) return address.startsWith(text)
    return this.#dashboard.accountNames.get(address)?.toLowerCase() === text
  }

  async #callee({ transaction, executed }: Candidate): Promise<Callee> {
    const { contracts, tokens } = this.#dashboard
    const to = recipientOf(transaction)
    // Names are found by code, which most recipients do not have.
    if (to !== null && !contracts.hasCode(to)) return {}
    const created = executed?.success ? executed.contractAddress : undefined
    const token = to ?? (created === undefined ? undefined : toHex(created))
    const data = toHex(to === null ? transaction.data : transaction.data.subarray(0, 4))
    const key = to === null ? transaction.hash : to + data
    const known = this.#callees.get(key)
    if (known !== undefined) return known
    const { contract, entry } = await this.#naming.callNames(to, data)
    const callee = {
      contract: contract?.toLowerCase(),
      function: entry?.kind === 'function' ? entry.name.toLowerCase() : undefined,
      symbol: token && (await tokens.factsOf(token)).symbol?.toLowerCase(),
    }
    if (this.#callees.size >= MOST_CALLEES) this.#callees.clear()
    this.#callees.set(key, callee)
    return callee
  }

  /** First topics of the events of a name, of all contracts. */
  async #topicsOf(name: string): Promise<readonly Uint8Array[]> {
    const known = this.#topics.get(name)
    if (known !== undefined) return known
    const { naming } = this.#dashboard
    const all = await askContracts(naming, (source) => source.all())
    const topics: Uint8Array[] = []
    for (const abi of [STANDARD_ABI, ...all.map((contract) => entriesOf(contract.abi))]) {
      for (const entry of abi) {
        if (entry.kind !== 'event' || entry.name.toLowerCase() !== name) continue
        topics.push(Buffer.from(naming.topicOf(entry).slice(2), 'hex'))
      }
      await this.#naming.pause()
    }
    this.#topics.set(name, topics)
    return topics
  }
}

/** The recipient, or else the contract that it creates; `null` if that is not known yet. */
function otherParty({ transaction, executed }: Candidate): Hex | null {
  const created = executed?.contractAddress
  return recipientOf(transaction) ?? (created === undefined ? null : toHex(created))
}

function hasEvent({ logs }: ExecutedTransaction, topics: readonly Uint8Array[]): boolean {
  return logs.some(
    ([, [topic]]) => topic !== undefined && topics.some((one) => Buffer.compare(one, topic) === 0),
  )
}
