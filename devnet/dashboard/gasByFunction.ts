import { shorten } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { Dashboard } from './dashboard.ts'

/** Number of functions that are told apart, and of rows of an answer. */
const MOST_KINDS = 5_000
const MOST_ROWS = 200

/** ms after which an answer says what is counted so far. */
const TIME = 200

/** Number of transactions that are added between two looks at the clock. */
const BATCH = 500

/** Longest label, in characters. */
const MAX_LABEL = 120

/** All executed transactions that called one function of one address. */
export interface GasRow {
  /** E.g. `Token.transfer`; the selector if unknown. */
  label: string
  /** `null` for creations and for transfers to anybody. */
  readonly to: Hex | null
  calls: number
  reverted: number
  gasUsed: number
  /** Gas of the cheapest and of the dearest one. */
  least: number
  most: number
}

/** Adds up the gas of executed transactions, later only of those that came since. */
export class GasByFunction {
  #totals = new Map<string, GasRow>()
  #next = 0
  #counted = 0
  #last: ExecutedTransaction | undefined

  async read(dashboard: Dashboard, signal?: AbortSignal) {
    const { index } = dashboard
    const { naming } = dashboard.work(signal)
    const until = performance.now() + TIME
    do {
      await naming.pause()
      await index.sync(signal)
      // A command has undone counted transactions, or executed them again.
      const isUndone = this.#next > index.first && index.at(this.#next - 1)?.executed !== this.#last
      if (isUndone) this.#totals = new Map()
      if (isUndone) this.#next = this.#counted = 0
      this.#next = Math.max(this.#next, index.first)
      for (const end = Math.min(this.#next + BATCH, index.end); this.#next < end; this.#next++) {
        this.#last = index.at(this.#next)?.executed
        if (this.#last !== undefined) this.#add(this.#last)
      }
    } while (this.#next < index.end && performance.now() < until)
    const [counted, left] = [this.#counted, index.end - this.#next]
    const all = [...this.#totals.values()].sort((one, other) => other.gasUsed - one.gasUsed)
    const rows = all.slice(0, MOST_ROWS).map((row) => ({ ...row }))
    for (const row of rows) {
      if (row.to === null) continue
      // The label is still the selector.
      const { contract, entry } = (await naming.call(row.to, row.label as Hex)).names
      const name = entry?.kind === 'function' ? entry.name : row.label
      row.label = shorten(contract === null ? name : `${contract}.${name}`, MAX_LABEL)
      await naming.name(row.to)
    }
    return {
      /** Number of executed transactions that were counted, and of those that are left to count. */
      counted,
      left,
      /** The most gas first. */
      rows,
      omitted: all.length - rows.length,
      names: naming.names,
    }
  }

  #add({ transaction: { to, data }, gasUsed, success }: ExecutedTransaction): void {
    this.#counted++
    const gas = Number(gasUsed)
    let label = to === undefined ? 'Creation' : 'Transfer'
    let callee: Hex | null = null
    if (to !== undefined && data.length > 0) {
      ;[callee, label] = [toHex(to), toHex(data.subarray(0, 4))]
    }
    if (this.#totals.size >= MOST_KINDS && !this.#totals.has(`${callee}${label}`)) {
      ;[callee, label] = [null, 'Others']
    }
    const key = `${callee}${label}`
    const totals = this.#totals.get(key)
    if (totals === undefined) {
      const first = { calls: 1, reverted: success ? 0 : 1, gasUsed: gas, least: gas, most: gas }
      this.#totals.set(key, { label, to: callee, ...first })
      return
    }
    totals.calls++
    if (!success) totals.reverted++
    totals.gasUsed += gas
    totals.least = Math.min(totals.least, gas)
    totals.most = Math.max(totals.most, gas)
  }
}
