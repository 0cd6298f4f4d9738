import { JsonText } from '../primitives/jsonText.ts'
import type { PushConnection } from '../stream/subscriptions.ts'
import type { UndoEvent } from '../types.ts'
import { type Creation, first } from './chainIndex.ts'
import type { Dashboard } from './dashboard.ts'
import { formatCounts, formatDashboardStatus, formatSnapshots } from './formatState.ts'
import { groupSource, groupsOf, type StripGroup } from './groups.ts'
import type { Names } from './naming.ts'
import { type LogLine, newestLines } from './newestLines.ts'

/** ms between two pushes at least, unless a command of a page has ended. */
const INTERVAL = 200

/** ms by which a push may come before its interval has passed, so that it follows the next tick. */
const EARLY = 20

/** ms after which a push waits no longer for a tick that is late. */
const PATIENCE = 50

/** Maximum number of groups that are pushed, and of lines of requests and of all else. */
const MOST_GROUPS = 200
const MOST_LINES = 50
const MOST_NAMES = 100

/**
 * Params of the notification `changed`, which the WebSocket pushes: at most 5 a second, and one at
 * once after a command. After a gap in the numbers the page asks for `state` and `strip` anew.
 */
export interface Changed {
  /** Rises by one. */
  readonly sequence: number
  readonly status: ReturnType<typeof formatDashboardStatus>
  /** New and changed groups, oldest first; they replace what overlaps with them. */
  readonly groups: readonly StripGroup[]
  /** Set if blocks or transactions were taken back since the last push. */
  readonly undo: {
    readonly command: UndoEvent['command']
    /** Newest sealed block afterwards: what is newer is gone. */
    readonly latest: number
  } | null
  readonly counts: ReturnType<typeof formatCounts>
  readonly snapshots: ReturnType<typeof formatSnapshots>
  /** New lines of the log, oldest first: at most 50 of requests that succeeded, and 50 others. */
  readonly lines: readonly LogLine[]
  /** Number of lines that came besides, which `log` answers. */
  readonly omittedLines: number
  /** Of contracts found since the last push. */
  readonly names: Names
}

/** Tells the open pages what changes. Without any, it listens to nothing. */
export class ChangeFeed {
  readonly #dashboard: Dashboard
  readonly #connections = new Set<PushConnection>()
  readonly #onInternalError: (error: unknown) => void
  #ends: readonly (() => void)[] = []
  #timer: NodeJS.Timeout | undefined
  /** True if the next push follows a tick. */
  #isTickAwaited = false
  #pushing: Promise<void> | undefined
  #isDirty = false
  #lastPush = Number.NEGATIVE_INFINITY
  #sequence = 0
  #undo: Changed['undo'] = null
  /** Contents of the last push. */
  #told = { head: -1, line: 0, text: '' }

  constructor(dashboard: Dashboard, onInternalError: (error: unknown) => void) {
    this.#dashboard = dashboard
    this.#onInternalError = onInternalError
  }

  get sequence(): number {
    return this.#sequence
  }

  add(connection: PushConnection): void {
    if (this.#connections.size === 0) this.#listen()
    this.#connections.add(connection)
    connection.onClose(() => {
      this.#connections.delete(connection)
      if (this.#connections.size === 0) this.#stop()
    })
  }

  #listen(): void {
    const { node, recorder } = this.#dashboard
    const { log } = recorder
    const { chain } = node.context
    const dirty = () => this.#later()
    recorder.onLine = dirty
    this.#told = { head: chain.head.number, line: log.nextId - 1, text: '' }
    this.#undo = null
    this.#ends = [
      chain.events.ticked.add(() => this.#onTick()),
      // After every command, tick and seal; the mempool changes besides.
      chain.events.written.add(dirty),
      chain.events.admitted.add(dirty),
      chain.events.undone.add(({ command }) => {
        const latest = chain.head.number
        this.#told.head = Math.min(this.#told.head, latest)
        this.#undo = { command, latest: Math.min(latest, this.#undo?.latest ?? latest) }
        dirty()
      }),
      ...(node.wallet === undefined ? [] : [node.wallet.onChange(dirty)]),
    ]
  }

  #stop(): void {
    for (const end of this.#ends) end()
    this.#ends = []
    this.#dashboard.recorder.onLine = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isDirty = false
  }

  #onTick(): void {
    if (this.#isTickAwaited && this.#timer !== undefined && this.#untilDue() <= EARLY) {
      this.#pushIn(0)
    }
  }

  #later(): void {
    this.#isDirty = true
    if (this.#timer !== undefined || this.#pushing !== undefined) return
    const rest = this.#untilDue()
    const tick = rest === 0 ? undefined : this.#untilTick(rest)
    this.#isTickAwaited = tick !== undefined
    this.#pushIn(tick === undefined ? rest : tick + PATIENCE)
  }

  #pushIn(delay: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.now(), delay).unref()
  }

  /** ms until the interval since the last push has passed. */
  #untilDue(): number {
    return Math.max(0, this.#lastPush + INTERVAL - performance.now())
  }

  /**
   * ms until the first tick after which a push is due, if the push should wait for it: a browser
   * takes a core to draw the push, which would delay a tick that begins meanwhile.
   */
  #untilTick(rest: number): number | undefined {
    const { ticks, now } = this.#dashboard.node.context.clocks
    if (!ticks.running || ticks.interval === 0) return undefined
    const next = ticks.next(now) - now
    const more = Math.max(0, Math.ceil((rest - EARLY - next) / ticks.interval))
    const delay = next + more * ticks.interval
    return delay < rest + INTERVAL ? delay : undefined
  }

  /** Pushes what has changed, without waiting for the end of the interval. */
  async now(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#pushing !== undefined) await this.#pushing
    if (this.#connections.size === 0) return
    this.#isDirty = false
    this.#pushing = this.#push().catch((error: unknown) => {
      // Leaves a gap in the numbers, on which pages ask for everything again.
      this.#sequence++
      this.#onInternalError(error)
    })
    await this.#pushing
    this.#pushing = undefined
    this.#lastPush = performance.now()
    if (this.#isDirty) this.#later()
  }

  /** Names of the newest contracts, if they were created after a block. */
  async #namesSince(head: number): Promise<Names> {
    const { naming } = this.#dashboard.work()
    const creations = first(this.#dashboard.index.creations(), MOST_NAMES)
    const isNew = ({ block }: Creation) => block > head
    await naming.nameAll(creations.filter(isNew).map(({ address }) => address))
    return naming.names
  }

  async #push(): Promise<void> {
    const { node, index } = this.#dashboard
    const { log } = this.#dashboard.recorder
    const { chain } = node.context
    await index.sync()
    // Read in one turn, so that all data is of the same moment. Blocks, lines and undos that come
    // later, even during this push, are in the next one.
    const { head: known, line, text: before } = this.#told
    const source = groupSource(this.#dashboard, { after: known, limit: MOST_GROUPS })
    const status = formatDashboardStatus(this.#dashboard)
    const counts = formatCounts(this.#dashboard)
    const snapshots = formatSnapshots(this.#dashboard)
    const { lines } = log.after(line)
    const undo = this.#undo
    this.#undo = null
    this.#told = { head: chain.head.number, line: log.nextId - 1, text: before }

    const { groups } = await groupsOf(this.#dashboard, source)
    const names = await this.#namesSince(known)
    const text = JSON.stringify([comparable(status), counts, snapshots, groups])
    this.#told.text = text
    if (text === before && lines.length === 0 && undo === null) return
    const shown = newestLines(lines, MOST_LINES)
    const changed: Changed = {
      sequence: ++this.#sequence,
      status,
      groups,
      undo,
      counts,
      snapshots,
      lines: shown,
      omittedLines: lines.length - shown.length,
      names,
    }
    const message = new JsonText(JSON.stringify(changed))
    for (const connection of this.#connections) connection.notify('changed', message)
  }
}

/** The status without what passes by itself: a page knows the interval of the ticks. */
function comparable({ time, ticks, ...status }: Changed['status']): object {
  const { interval, running, next } = ticks
  return { ...status, interval, running, phase: next === null ? null : next % interval }
}
