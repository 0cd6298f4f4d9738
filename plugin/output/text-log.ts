import type { Hex } from '../../devnet/primitives/hex.ts'
import type {
  ConsoleLogEvent,
  RequestEvent,
  SealEvent,
  TickEvent,
  TickTransaction,
} from '../../devnet/types.ts'
import type { FindNames } from '../artifacts/contract-names.ts'
import { calledName, callOf, errorData, printedLines, requestText } from './call-lines.ts'
import { counted, duration, type Paint, sealLine, tickLine, titled } from './lines.ts'
import type { Entry, LogFormat } from './node-log.ts'
import { transactionLines } from './transaction-lines.ts'

/** Transactions of a tick that are shown in full; so are those that printed something. */
const SHOWN = 10

/** Among how many of a tick those that failed are shown in full. */
const SHOWN_FAILED = 100

/** The log as a person reads it. */
export class TextLog implements LogFormat {
  readonly #paint: Paint
  readonly #findNames: FindNames
  readonly #verbose: boolean

  constructor(parameters: { paint: Paint; findNames: FindNames; verbose: boolean }) {
    this.#paint = parameters.paint
    this.#findNames = parameters.findNames
    this.#verbose = parameters.verbose
  }

  async tick(event: TickEvent, printed: ReadonlyMap<Hex, ConsoleLogEvent>): Promise<Entry> {
    const shown = event.transactions.filter(
      ({ error, hash }, index) =>
        index < (error === null ? SHOWN : SHOWN_FAILED) || printed.has(hash),
    )
    const lines = [tickLine(event, this.#paint)]
    for (const transaction of shown) {
      lines.push(...(await this.#transaction(transaction, printed.get(transaction.hash))))
    }
    const rest = event.transactions.length - shown.length
    if (rest > 0) lines.push(`  … and ${counted(rest, 'more transaction')}`, '')
    return { lines }
  }

  async #transaction(
    transaction: TickTransaction,
    printed: ConsoleLogEvent | undefined,
  ): Promise<string[]> {
    const names = await this.#findNames(transaction, transaction.error?.data)
    return transactionLines(transaction, names, printed, this.#paint)
  }

  seal(event: SealEvent): Entry {
    return { lines: [sealLine(event, this.#paint)] }
  }

  async consoleLog(event: ConsoleLogEvent): Promise<Entry> {
    const names = await this.#findNames(event)
    const called = names === undefined ? '' : calledName(event, names)
    const source = event.method ?? event.transaction ?? ''
    return {
      lines: [titled('console.log', `${source} ${called}`.trim()), ...printedLines(event, '  ')],
    }
  }

  async request(event: RequestEvent): Promise<Entry> {
    const call = callOf(event)
    const names = call === undefined ? undefined : await this.#findNames(call, errorData(event))
    const called = call === undefined || names === undefined ? undefined : calledName(call, names)
    const text = requestText(event, called, names, {
      parameters: this.#verbose,
      paint: this.#paint,
    })
    return { lines: [`${text}  ${duration(event.elapsed)}`], key: text }
  }
}
