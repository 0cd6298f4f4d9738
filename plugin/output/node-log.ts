import { setImmediate } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import type {
  ConsoleLogEvent,
  Devnet,
  DevnetEvents,
  Hex,
  RequestEvent,
  SealEvent,
  TickEvent,
  TickTransaction,
} from '../../devnet/index.ts'
import { isBytes, isHex, isObject, reportInternalError } from '../../devnet/pluginApi.ts'
import type { FindNames, NamedCall } from '../artifacts/contract-names.ts'
import type { LineWriter } from './line-writer.ts'
import { columnIndent, type PlainEvent } from './lines.ts'

/** Lines that are printed together. */
export interface Entry {
  readonly lines: readonly string[]
  /** Successive one-line entries with the same key are folded into one. Default: not folded */
  readonly key?: string | undefined
  /** The line for this entry and those before it, `count` in all. Default: the line, counted. */
  readonly folded?: ((count: number) => string) | undefined
}

export interface LogFormat {
  plain<Name extends PlainEvent>(name: Name, event: DevnetEvents[Name]): Entry
  seal(event: SealEvent): Entry
  /** @param printed - `console.log` output of the tick's transactions, by hash */
  tick(event: TickEvent, printed: ReadonlyMap<Hex, ConsoleLogEvent>): Promise<Entry>
  consoleLog(event: ConsoleLogEvent): Promise<Entry>
  request(event: RequestEvent): Promise<Entry>
}

/** Solidity frames of a transaction that failed, the innermost first; empty if there are none. */
export type FindFrames = (transaction: TickTransaction) => Promise<readonly string[]>

interface NodeLogParameters {
  readonly devnet: Pick<Devnet, 'on'>
  readonly writer: LineWriter
  /** Creates the format. What it gets finds nothing any more once the log closes. */
  readonly format: (findNames: FindNames, findFrames: FindFrames) => LogFormat
  readonly findNames: FindNames
  readonly findFrames: FindFrames
  /** True if requests that succeed are printed too. */
  readonly verbose: boolean
  /** Returns the width of the terminal in columns; `undefined` if there is no terminal. */
  readonly columns: () => number | undefined
  /** Returns the beginning of the first line of what happens now. Default: there is none */
  readonly stamp?: () => string
}

/** Number of events that may wait to be printed. */
const MAX_WAITING = 10_000

/** Longest time that `close` waits for the names in waiting entries, in ms. */
const CLOSING_TIME = 300

/** Longest time that printing may block the event loop at once, in ms. */
const SLICE = 2

/** Prints the events of a node in order. An event only queues an entry, so the node never waits. */
export class NodeLog {
  readonly #writer: LineWriter
  readonly #folding: Folding
  readonly #format: LogFormat
  readonly #ends: readonly (() => void)[]
  readonly #stamp: () => string
  readonly #jobs: (() => Promise<Entry>)[] = []
  #running: Promise<void> | undefined
  #sliceStart = 0
  #isEnabled = true
  #isClosing = false
  /** Ends the current wait for names or frames; there is at most one. */
  #stopWaiting: (() => void) | undefined
  /** `console.log` output of transactions whose tick event has not come yet, by hash. */
  #printed = new Map<Hex, ConsoleLogEvent>()

  constructor(parameters: NodeLogParameters) {
    const { devnet, writer, format, findNames, findFrames, verbose, columns } = parameters
    this.#writer = writer
    this.#stamp = parameters.stamp ?? (() => '')
    this.#folding = new Folding((...lines) => writer.print(...lines), columns)
    this.#format = format(
      (...asked) => this.#inTime(() => findNames(...asked)),
      async (transaction) => (await this.#inTime(() => findFrames(transaction))) ?? [],
    )
    this.#ends = [
      devnet.on('logging', ({ enabled }) => {
        this.#isEnabled = enabled
      }),
      devnet.on('consoleLog', (event) => this.#consoleLog(event)),
      devnet.on('tick', (event) => this.#tick(event)),
      devnet.on('seal', (event) => this.#addIfEnabled(() => this.#format.seal(event))),
      ...(['undo', 'fault', 'hint', 'walletRequest'] as const).map((name) =>
        this.#listen(devnet, name),
      ),
      devnet.on('request', (event) => {
        if (event.error === null && !verbose) return
        this.#addIfEnabled(() => this.#format.request(event))
      }),
    ]
  }

  /** Stops listening and prints the waiting entries, without what is not found for them soon. */
  async close(): Promise<void> {
    for (const end of this.#ends) end()
    const timer = setTimeout(() => {
      this.#isClosing = true
      this.#stopWaiting?.()
    }, CLOSING_TIME)
    await this.#running
    clearTimeout(timer)
    this.#folding.flush()
    this.#writer.flush()
  }

  #listen<Name extends PlainEvent>(devnet: Pick<Devnet, 'on'>, name: Name): () => void {
    return devnet.on(name, (event) => this.#addIfEnabled(() => this.#format.plain(name, event)))
  }

  #consoleLog(event: ConsoleLogEvent): void {
    // As with `hardhat node`, `console.log` output is printed even while the log is off.
    if (event.transaction === null || !this.#isEnabled) {
      this.#add(() => this.#format.consoleLog(event))
    } else this.#printed.set(event.transaction, event)
  }

  #tick(event: TickEvent): void {
    const printed = this.#printed
    this.#printed = new Map()
    this.#addIfEnabled(() => this.#format.tick(event, printed))
  }

  #addIfEnabled(job: () => Entry | Promise<Entry>): void {
    if (this.#isEnabled) this.#add(job)
  }

  #add(job: () => Entry | Promise<Entry>): void {
    if (this.#jobs.length >= MAX_WAITING) {
      this.#writer.omit()
      return
    }
    const stamp = this.#stamp()
    this.#jobs.push(async () => {
      const { lines, folded, ...entry } = await job()
      const [first, ...rest] = lines
      return {
        ...entry,
        lines: first === undefined ? [] : [stamp + first, ...rest],
        folded: folded && ((count) => stamp + folded(count)),
      }
    })
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    await setImmediate()
    this.#sliceStart = performance.now()
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
      try {
        this.#folding.add(await job())
      } catch (error) {
        reportInternalError(error)
      }
      await this.#yieldIfDue()
    }
    this.#running = undefined
  }

  /** The answer, or `undefined` if the log closes before. */
  async #inTime<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
    if (this.#isClosing) return undefined
    const { promise, resolve, reject } = Promise.withResolvers<Found | undefined>()
    this.#stopWaiting = () => resolve(undefined)
    find().then(resolve, reject)
    const found = await promise
    await this.#yieldIfDue()
    return found
  }

  /** Lets ticks and requests run if printing has blocked the event loop for {@link SLICE} ms. */
  async #yieldIfDue(): Promise<void> {
    if (performance.now() - this.#sliceStart < SLICE) return
    await setImmediate()
    this.#sliceStart = performance.now()
  }
}

/** Moves up one line, prints, and erases the rest of the old line. */
const replacing = (line: string) => `\u001b[1A\r${line}\u001b[K`

/**
 * Folds repeated entries into one, as `hardhat node` does; without a terminal, a line that counts
 * the others follows once something else comes.
 */
export class Folding {
  readonly #print: (...lines: readonly string[]) => void
  readonly #columns: () => number | undefined
  #key: string | undefined
  #count = 0
  /** Repetitions that are not printed yet. */
  #unprinted = 0
  /** The newest of the repetitions. */
  #last: Entry | undefined

  /** @param columns - returns the width of the terminal; `undefined` if there is none */
  constructor(print: (...lines: readonly string[]) => void, columns: () => number | undefined) {
    this.#print = print
    this.#columns = columns
  }

  add(entry: Entry): void {
    const { lines, key, folded } = entry
    if (key === undefined || key !== this.#key) {
      this.flush()
      this.#key = key
      this.#count = 1
      this.#print(...lines)
      return
    }
    this.#count++
    this.#last = entry
    const line = folded?.(this.#count) ?? `${lines[0] ?? ''} (${this.#count})`
    // A line that wraps cannot be replaced: only its last row would be.
    if (stripVTControlCharacters(line).length < (this.#columns() ?? 0)) this.#print(replacing(line))
    else this.#unprinted++
  }

  /** Prints the count of unprinted repetitions, and starts over. */
  flush(): void {
    if (this.#unprinted > 0) {
      const { folded } = this.#last ?? {}
      this.#print(
        folded?.(this.#unprinted) ?? `${columnIndent}… and ${this.#unprinted} more of these`,
      )
    }
    this.#unprinted = 0
    this.#key = undefined
  }
}

/**
 * Number of characters of a method's name, an error's message and a `console.log` that are shown.
 */
export const MAX_LENGTH = { method: 100, message: 1000, print: 16_384 }

/** The call in the parameters of `eth_call` and similar methods; `undefined` if there is none. */
export function callOf({ params }: Pick<RequestEvent, 'params'>): NamedCall | undefined {
  const [call]: unknown[] = Array.isArray(params) ? params : []
  if (!isObject(call)) return undefined
  const { to, data, input } = call
  const bytes = isHex(input) ? input : isHex(data) ? data : undefined
  if (isBytes(to, 20)) return { to, data: bytes ?? '0x' }
  const creates = (to === undefined || to === null) && bytes !== undefined
  return creates ? { to: null, data: bytes } : undefined
}

/** The bytes that a contract reverted with; `undefined` if the error has none. */
export function errorData({ error }: Pick<RequestEvent, 'error'>): Hex | undefined {
  return isHex(error?.data) ? error.data : undefined
}
