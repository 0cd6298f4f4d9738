import { setImmediate } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import type { Hex } from '../../devnet/primitives/hex.ts'
import type {
  ConsoleLogEvent,
  Devnet,
  RequestEvent,
  SealEvent,
  TickEvent,
} from '../../devnet/types.ts'
import type { CallNames, FindNames } from '../artifacts/contract-names.ts'
import type { LineWriter } from './line-writer.ts'
import { columnIndent } from './lines.ts'

/** Up one line, and at its end away with what is left of the old one. */
const REPLACE = (line: string) => `\u001b[1A\r${line}\u001b[K`

/** What is printed at once. */
export interface Entry {
  readonly lines: readonly string[]
  /** Entries in a row with the same key are folded into one; they have one line. */
  readonly key?: string | undefined
}

/** Folds equal entries, as `hardhat node` does: on a terminal the line counts up, elsewhere the count follows. */
export class Folding {
  readonly #print: (...lines: readonly string[]) => void
  readonly #columns: () => number | undefined
  #key: string | undefined
  #count = 0
  /** Repetitions that no line tells of yet. */
  #untold = 0

  /** @param columns - width of the terminal; `undefined` where there is none */
  constructor(print: (...lines: readonly string[]) => void, columns: () => number | undefined) {
    this.#print = print
    this.#columns = columns
  }

  add({ lines, key }: Entry): void {
    if (key === undefined || key !== this.#key) {
      this.flush()
      this.#key = key
      this.#count = 1
      this.#print(...lines)
      return
    }
    this.#count++
    const line = `${lines[0] ?? ''} (${this.#count})`
    // A line that wraps takes more than one row, and only the last of them would be replaced.
    if (stripVTControlCharacters(line).length < (this.#columns() ?? 0)) this.#print(REPLACE(line))
    else this.#untold++
  }

  /** Tells what is not told yet, and starts anew. */
  flush(): void {
    if (this.#untold > 0) this.#print(`${columnIndent}… and ${this.#untold} more of these`)
    this.#untold = 0
    this.#key = undefined
  }
}

/** Makes what is printed of what happens. */
export interface LogFormat {
  /** @param printed - by hash, what transactions of the tick printed with `console.log` */
  tick(event: TickEvent, printed: ReadonlyMap<Hex, ConsoleLogEvent>): Promise<Entry>
  seal(event: SealEvent): Entry
  consoleLog(event: ConsoleLogEvent): Promise<Entry>
  request(event: RequestEvent): Promise<Entry>
}

/** What {@link NodeLog} works with. */
export interface NodeLogParameters {
  readonly devnet: Pick<Devnet, 'on'>
  readonly writer: LineWriter
  /** Makes the format, given names that come in time. */
  readonly format: (findNames: FindNames) => LogFormat
  readonly findNames: FindNames
  /** Whether requests that succeed are printed too. */
  readonly verbose: boolean
  /** Width of the terminal; `undefined` where there is none. */
  readonly columns: () => number | undefined
}

/** Events that may wait to be printed, for names or for their turn. */
const MOST_WAITING = 10_000

/** ms that closing waits for the names of what is still to be printed. */
const CLOSING_TIME = 300

/** ms for which printing may hold the event loop. */
const SLICE = 2

/** Prints what happens on a node, in order, while the node goes on: events only queue up what is to be printed. */
export class NodeLog {
  readonly #writer: LineWriter
  readonly #folding: Folding
  readonly #format: LogFormat
  readonly #ends: readonly (() => void)[]
  readonly #jobs: (() => Entry | Promise<Entry>)[] = []
  #running: Promise<void> | undefined
  #sliceStart = 0
  #isEnabled = true
  #isClosing = false
  /** Ends the wait for names that are being looked up; there is one wait at a time. */
  #stopWaiting: (() => void) | undefined
  /** What transactions printed whose tick is about to be told. */
  #printed = new Map<Hex, ConsoleLogEvent>()

  constructor({ devnet, writer, format, findNames, verbose, columns }: NodeLogParameters) {
    this.#writer = writer
    this.#folding = new Folding((...lines) => writer.print(...lines), columns)
    this.#format = format((call, error) => this.#inTime(() => findNames(call, error)))
    this.#ends = [
      devnet.on('logging', ({ enabled }) => {
        this.#isEnabled = enabled
      }),
      devnet.on('consoleLog', (event) => this.#consoleLog(event)),
      devnet.on('tick', (event) => this.#tick(event)),
      devnet.on('seal', (event) => {
        if (this.#isEnabled) this.#add(() => this.#format.seal(event))
      }),
      devnet.on('request', (event) => {
        if (!this.#isEnabled || (event.error === null && !verbose)) return
        this.#add(() => this.#format.request(event))
      }),
    ]
  }

  /** Stops listening, and prints what waits; names that are not found soon are left out. */
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

  #consoleLog(event: ConsoleLogEvent): void {
    // As with `hardhat node`, it is printed also while the log is off.
    if (event.transaction === null || !this.#isEnabled)
      this.#add(() => this.#format.consoleLog(event))
    else this.#printed.set(event.transaction, event)
  }

  #tick(event: TickEvent): void {
    const printed = this.#printed
    this.#printed = new Map()
    if (this.#isEnabled) this.#add(() => this.#format.tick(event, printed))
  }

  #add(job: () => Entry | Promise<Entry>): void {
    if (this.#jobs.length >= MOST_WAITING) {
      this.#writer.omit()
      return
    }
    this.#jobs.push(job)
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    await setImmediate()
    this.#sliceStart = performance.now()
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
      try {
        this.#folding.add(await job())
      } catch (error) {
        console.error('hardhat-pending-node: internal error, please report it:', error)
      }
      await this.#yieldToOthers()
    }
    this.#running = undefined
  }

  /** Names, unless the node is stopped before they are found. */
  async #inTime(find: () => Promise<CallNames | undefined>): Promise<CallNames | undefined> {
    if (this.#isClosing) return undefined
    const { promise, resolve, reject } = Promise.withResolvers<CallNames | undefined>()
    this.#stopWaiting = () => resolve(undefined)
    find().then(resolve, reject)
    const found = await promise
    await this.#yieldToOthers()
    return found
  }

  /** Lets ticks and requests have their turn. */
  async #yieldToOthers(): Promise<void> {
    if (performance.now() - this.#sliceStart < SLICE) return
    await setImmediate()
    this.#sliceStart = performance.now()
  }
}
