import type {
  ConsoleLogEvent,
  FaultEvent,
  Hex,
  RequestEvent,
  SealEvent,
  TickEvent,
  TickTransaction,
  UndoEvent,
} from '../../devnet/index.ts'
import {
  failureMessage,
  printable,
  printableLines,
  shownParameters,
} from '../../devnet/pluginApi.ts'
import type { CallNames, FindNames, NamedCall } from '../artifacts/contract-names.ts'
import {
  counted,
  cut,
  duration,
  faultLine,
  grouped,
  type Paint,
  sealLine,
  tickLine,
  titled,
  undoLine,
} from './lines.ts'
import type { Entry, FindFrames, LogFormat } from './node-log.ts'
import { callOf, errorData, MAX_LENGTH } from './request-details.ts'

/**
 * Number of transactions of a tick that are shown in full, besides those with `console.log` output.
 */
const MAX_SHOWN = 10

/** The same limit for transactions that failed. */
const MAX_SHOWN_FAILED = 100

/** For how many failed transactions of a tick the place in Solidity is looked up. */
const MAX_EXPLAINED = 10

interface TextLogParameters {
  readonly paint: Paint
  readonly findNames: FindNames
  readonly findFrames: FindFrames
  readonly verbose: boolean
}

export class TextLog implements LogFormat {
  readonly #with: TextLogParameters

  constructor(parameters: TextLogParameters) {
    this.#with = parameters
  }

  async tick(event: TickEvent, printed: ReadonlyMap<Hex, ConsoleLogEvent>): Promise<Entry> {
    const shown = event.transactions.filter(
      ({ error, hash }, index) =>
        index < (error === null ? MAX_SHOWN : MAX_SHOWN_FAILED) || printed.has(hash),
    )
    const lines = [tickLine(event, this.#with.paint)]
    let explained = 0
    for (const one of shown) {
      const names = await this.#with.findNames(one, one.error?.data)
      const output = printed.get(one.hash)
      // What is executed again for its frames prints again.
      const isExplained = one.error !== null && output === undefined && explained++ < MAX_EXPLAINED
      const frames = isExplained ? await this.#with.findFrames(one) : []
      lines.push(...transactionLines(one, { names, frames, printed: output }, this.#with.paint))
    }
    const rest = event.transactions.length - shown.length
    if (rest > 0) lines.push(`  … and ${counted(rest, 'more transaction')}`, '')
    return { lines }
  }

  seal(event: SealEvent): Entry {
    return { lines: [sealLine(event, this.#with.paint)] }
  }

  undo(event: UndoEvent): Entry {
    return { lines: [this.#with.paint('yellow', undoLine(event))] }
  }

  fault(event: FaultEvent): Entry {
    return { lines: [this.#with.paint('yellow', faultLine(event))] }
  }

  async consoleLog(event: ConsoleLogEvent): Promise<Entry> {
    const names = await this.#with.findNames(event)
    const called = names === undefined ? '' : calledName(event, names)
    const source = event.method ?? event.transaction ?? ''
    return {
      lines: [titled('console.log', `${source} ${called}`.trim()), ...printedLines(event, '  ')],
    }
  }

  async request(event: RequestEvent): Promise<Entry> {
    const { findNames, verbose, paint } = this.#with
    const call = callOf(event)
    const names = call && (await findNames(call, errorData(event)))
    const text = requestText(event, names, { parameters: verbose, paint })
    return { lines: [`${text}  ${duration(event.elapsed)}`], key: text }
  }
}

/** Width of the labels with the space after them, as in `hardhat node`. */
const LABEL_WIDTH = 21

/** Known facts of a transaction besides what the tick says of it. */
interface KnownTransaction {
  readonly names: CallNames | undefined
  /** Solidity frames of its failure, the innermost first. */
  readonly frames: readonly string[]
  readonly printed: ConsoleLogEvent | undefined
}

/** A transaction in full, in the form of `hardhat node`, below the line of its tick. */
export function transactionLines(
  transaction: TickTransaction,
  { names, frames, printed }: KnownTransaction,
  paint: Paint,
): string[] {
  const { hash, from, to, data, value, gasUsed, gasLimit, contractAddress, error } = transaction
  const line = (label: string, text: string) => `  ${`${label}:`.padEnd(LABEL_WIDTH)}${text}`
  const lines: string[] = []
  if (names !== undefined) {
    const label = to === null ? 'Contract deployment' : 'Contract call'
    lines.push(line(label, calledName({ to, data }, names)))
  }
  if (contractAddress !== null) lines.push(line('Contract address', contractAddress))
  lines.push(line('Transaction', hash), line('From', from))
  if (to !== null) lines.push(line('To', to))
  lines.push(
    line('Value', amount(value)),
    line('Gas used', `${grouped(gasUsed)} of ${grouped(gasLimit)}`),
  )
  if (error !== null) lines.push(paint('red', line('Error', errorText(error.message, names))))
  const indent = ' '.repeat(LABEL_WIDTH + 4)
  for (const frame of frames) lines.push(paint('red', `${indent}at ${printable(frame)}`))
  if (printed !== undefined) lines.push('', '  console.log:', ...printedLines(printed, '    '))
  return [...lines, '']
}

const WEI = 1n
const GWEI = 10n ** 9n
const ETHER = 10n ** 18n

/**
 * Amounts of at least this many of a unit are shown in the next larger unit, as in `hardhat node`.
 */
const MANY = 100_000n

/** An amount of wei in the unit that reads best: `0 ETH`, `16 wei`, `2.5 gwei`, `1.5 ETH`. */
export function amount(wei: bigint): string {
  if (wei === 0n) return '0 ETH'
  if (wei < MANY * WEI) return `${wei} wei`
  if (wei < MANY * GWEI) return `${decimal(wei, GWEI)} gwei`
  return `${decimal(wei, ETHER)} ETH`
}

/** `value` in `unit`, with all digits, because users may search for an amount. */
function decimal(value: bigint, unit: bigint): string {
  const digits = String(unit).length - 1
  const fraction = String(value % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '')
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`
}

/** The name of what is called, e.g. `Token.transfer`, or `<unrecognized contract>`. */
export function calledName({ to, data }: NamedCall, names: CallNames): string {
  if (names.contract === undefined) return '<unrecognized contract>'
  const contract = printable(names.contract)
  if (to === null || data === '0x') return contract
  if (names.function !== undefined) {
    return `${contract}.${printable(names.function.replace(/\(.*$/s, ''))}`
  }
  return `${contract}.<unrecognized function ${data.slice(0, 10)}>`
}

/** Lines for the messages of `console.log`, each indented by `indent`. */
export function printedLines(
  { messages, omitted }: { readonly messages: readonly string[]; readonly omitted: number },
  indent: string,
): string[] {
  const lines = messages.flatMap((message) =>
    printableLines(cut(message, MAX_LENGTH.print)).map((line) =>
      line === '' ? '' : indent + line,
    ),
  )
  return omitted === 0 ? lines : [...lines, `${indent}… and ${omitted} more console.log`]
}

/** The message of an error, with a custom error and its arguments if the artifacts have it. */
function errorText(message: string, names: CallNames | undefined): string {
  const text = printable(cut(message, MAX_LENGTH.message))
  return names?.errorText === undefined ? text : `${text}: ${printable(names.errorText)}`
}

/** A request as text, e.g. `eth_call Token.balanceOf  execution reverted: no`; no duration. */
export function requestText(
  event: RequestEvent,
  names: CallNames | undefined,
  options: { readonly parameters: boolean; readonly paint: Paint },
): string {
  const { error, method, params } = event
  const name = printable(cut(method ?? 'a message', MAX_LENGTH.method))
  const call = callOf(event)
  const parts = [
    call === undefined || names === undefined ? name : `${name} ${calledName(call, names)}`,
  ]
  if (options.parameters && params !== undefined) parts.push(parametersText(event))
  if (error !== null) parts.push(errorText(failureMessage(event), names))
  const text = titled(error === null ? 'called' : 'failed', parts.join('  '))
  return error === null ? text : options.paint('red', text)
}

/** Maximum number of characters of a request's parameters that are shown. */
const MAX_PARAMETERS = 400

function parametersText(event: RequestEvent): string {
  const params = shownParameters(event)
  if (params === undefined) return '(parameters not shown)'
  return printable(cut(JSON.stringify(params), MAX_PARAMETERS))
}
