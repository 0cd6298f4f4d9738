import type { TickReport } from '../chain/chainEvents.ts'
import { wallTime } from '../primitives/moment.ts'
import type { DashboardNode } from './handle.ts'
import { consoleText, requestLine } from './logLines.ts'
import { LogRing } from './logRing.ts'
import { SeenTicks } from './seenTicks.ts'

/** Part of its interval by which a tick may come late before it is marked. */
const LATE = 0.2

/** ms within which ticks are noted as one, and the number that is kept: 2 min at least. */
const MERGED = 50
const MOST_TICKS = 2_400

/** Numbers of a tick that pre-confirmed transactions. */
export interface TickNumbers {
  /** Wall time, ms since the epoch. */
  readonly time: number
  transactions: number
  /** ms from acceptance to pre-confirmation: the median, and that of the slowest but 5 %. */
  median: number
  most: number
}

/**
 * Notes what can be known only while it happens: ticks and lines of the log, from the start of the
 * node, for a page that is opened after the fact.
 */
export class Recorder {
  readonly log = new LogRing()
  readonly seen = new SeenTicks()
  /** Oldest first. */
  readonly ticks: TickNumbers[] = []
  readonly #context: DashboardNode['context']
  /**
   * Called after each line; `undefined` while no page is open. Requests that succeed are noted only
   * while one is.
   */
  onLine: (() => void) | undefined

  constructor({ context, on }: Pick<DashboardNode, 'context' | 'on'>) {
    this.#context = context
    const { events } = context.chain
    events.ticked.add((report) => this.#onTick(report))
    events.undone.add(() => this.seen.clear())
    on('undo', ({ command, latest }) =>
      this.#add({ kind: 'undo', text: `${command}: block ${latest} is the newest now` }),
    )
    on('fault', ({ kind, rule, block }) =>
      this.#add({ kind: 'fault', text: `Fault ${rule} (${kind}) fired in block ${block}` }),
    )
    on('hint', ({ text }) => this.#add({ kind: 'hint', text }))
    on('save', ({ file, number }) =>
      this.#add({ kind: 'save', text: `Saved block ${number} to ${file}` }),
    )
    on('consoleLog', (event) =>
      this.#add({
        kind: 'console',
        text: consoleText(event),
        transaction: event.transaction,
        address: event.to,
      }),
    )
    on('request', (event) => {
      if (event.error !== null || this.onLine !== undefined) this.#add(requestLine(event))
    })
  }

  #add(line: Parameters<LogRing['add']>[0]): void {
    this.log.add(line)
    this.onLine?.()
  }

  #onTick({ view, elapsed, executed }: TickReport): void {
    this.#count(executed)
    const { clocks, chain, options } = this.#context
    const { interval, running } = clocks.ticks
    const { now } = clocks
    const delay = now - elapsed - (clocks.ticks.next(now) - interval)
    const isSpent = elapsed >= options.tickBudget && chain.mempool.runnableCount > 0
    const isLate = running && interval > 0 && (isSpent || delay > LATE * interval)
    const block = Number(view.environment.number)
    const tick = view.ticks - 1
    this.seen.add(block, tick, { elapsed, waiting: chain.mempool.size, isLate })
    if (!isLate) return
    const how = isSpent ? 'used up its budget' : `came ${Math.round(delay)} ms late`
    this.#add({
      kind: 'late',
      text: `Tick ${tick} of block ${block} ${how} (${Math.round(elapsed)} ms)`,
    })
  }
  #count(executed: TickReport['executed']): void {
    const time = Date.now()
    const latencies = executed
      .map(({ transaction }) => time - (wallTime(transaction.acceptedAt) ?? time))
      .sort((one, other) => one - other)
    const at = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? 0
    const [transactions, median, most] = [executed.length, at(0.5), at(0.95)]
    const last = this.ticks.at(-1)
    if (last === undefined || time - last.time > MERGED) {
      this.ticks.push({ time, transactions, median, most })
      if (this.ticks.length > MOST_TICKS) this.ticks.shift()
      return
    }
    last.transactions += transactions
    last.median = Math.max(last.median, median)
    last.most = Math.max(last.most, most)
  }
}
