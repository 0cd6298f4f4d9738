import type {
  ConsoleLogEvent,
  DevnetEvents,
  Hex,
  RequestEvent,
  SealEvent,
  TickEvent,
  TickTransaction,
} from '../../devnet/index.ts'
import {
  etherText,
  failureMessage,
  printable,
  printableLines,
  shownParameters,
} from '../../devnet/pluginApi.ts'
import type { FindNames, NamedCall, NameTexts } from '../artifacts/contract-names.ts'
import {
  clipped,
  cut,
  duration,
  emptyLine,
  eventLines,
  grouped,
  type Paint,
  type PlainEvent,
  sealLine,
  tickLine,
  titled,
} from './lines.ts'
import {
  callOf,
  type Entry,
  errorData,
  type FindFrames,
  type LogFormat,
  MAX_LENGTH,
} from './node-log.ts'

/** Number of transactions of a tick that are shown, besides those that failed or print. */
const MAX_SHOWN = 3

/** The same limit for transactions that failed, and for those with `console.log` output. */
const MAX_SHOWN_FAILED = 20
const MAX_SHOWN_PRINTED = 100

/** For how many failed transactions of a tick the place in Solidity is looked up. */
const MAX_EXPLAINED = 10

interface TextLogParameters {
  readonly paint: Paint
  /** Names of known accounts, by their addresses in lower case. */
  readonly accounts: ReadonlyMap<string, string>
  /** Returns the width of the terminal in columns; `undefined` if there is no terminal. */
  readonly columns: () => number | undefined
  readonly findNames: FindNames
  readonly findFrames: FindFrames
  readonly verbose: boolean
}

export class TextLog implements LogFormat {
  readonly #with: TextLogParameters
  /** Numbers of the newest empty block, and of the first of those in a row with it. */
  #empty = { last: -1, first: -1 }

  constructor(parameters: TextLogParameters) {
    this.#with = parameters
  }

  async tick(event: TickEvent, printed: ReadonlyMap<Hex, ConsoleLogEvent>): Promise<Entry> {
    const { accounts, columns, findNames, paint } = this.#with
    const left = { good: MAX_SHOWN, failed: MAX_SHOWN_FAILED, printed: MAX_SHOWN_PRINTED }
    const isShown = ({ error, hash }: TickTransaction) =>
      left[printed.has(hash) ? 'printed' : error === null ? 'good' : 'failed']-- > 0
    const parts = Map.groupBy(event.transactions, isShown)
    const rest = parts.get(false) ?? []
    const lines = [tickLine(event, paint)]
    let explained = 0
    for (const one of parts.get(true) ?? []) {
      const names = await findNames(one, one.error?.data, { arguments: true })
      const output = printed.get(one.hash)
      // Executing a transaction again for its frames prints its output again.
      const isExplained = one.error !== null && output === undefined && explained++ < MAX_EXPLAINED
      const frames = isExplained ? await this.#with.findFrames(one) : []
      const known = { names, accounts, frames, printed: output, columns: columns() }
      lines.push(...transactionLines(one, known, paint))
    }
    if (rest.length > 0) lines.push(`  … and ${restText(rest)}`)
    return { lines }
  }

  seal(event: SealEvent): Entry {
    const { paint } = this.#with
    const { number } = event
    const lines = [sealLine(event, paint)]
    if (event.transactions > 0) return { lines }
    // Blocks that do not follow, e.g. after a revert, begin a new line.
    const first = number === this.#empty.last + 1 ? this.#empty.first : number
    this.#empty = { last: number, first }
    return { lines, key: `empty ${first}`, folded: (count) => emptyLine(number, count, paint) }
  }

  plain<Name extends PlainEvent>(name: Name, event: DevnetEvents[Name]): Entry {
    return { lines: [this.#with.paint('yellow', eventLines[name](event))] }
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

/** `97 more: 95 succeeded, 2 reverted`. */
function restText(rest: readonly TickTransaction[]): string {
  const reverted = rest.filter(({ status }) => status === 'reverted').length
  const succeeded = rest.length - reverted
  return `${grouped(rest.length)} more: ${grouped(succeeded)} succeeded, ${grouped(reverted)} reverted`
}

/** Known facts of a transaction besides what the tick says of it. */
interface KnownTransaction {
  readonly names: NameTexts | undefined
  readonly accounts: ReadonlyMap<string, string>
  /** Solidity frames of its failure, the innermost first. */
  readonly frames: readonly string[]
  readonly printed: ConsoleLogEvent | undefined
  /** Width of the terminal; `undefined` if there is none. */
  readonly columns: number | undefined
}

/**
 * A transaction below the line of its tick: the call with its arguments, the hash alone on a line,
 * who paid whom, and how it ended.
 */
export function transactionLines(
  transaction: TickTransaction,
  { names, accounts, frames, printed, columns }: KnownTransaction,
  paint: Paint,
): string[] {
  const { hash, from, to, value, gasUsed, gasLimit, contractAddress, error } = transaction
  const nameOf = (address: Hex) =>
    accounts.get(address) ?? `${address.slice(0, 8)}…${address.slice(-4)}`
  const lines: string[] = []
  if (names !== undefined) {
    const called = calledName(transaction, names)
    const list = names.arguments === undefined ? '' : `(${printable(names.arguments)})`
    lines.push(clipped(`  ${to === null ? 'new ' : ''}${called}${list}`, columns))
  }
  if (contractAddress !== null) lines.push(`    at ${contractAddress}`)
  const target =
    to === null ? '' : ` to ${names?.contract ? printable(names.contract) : nameOf(to)}`
  const paid = value === 0n ? '' : `, ${etherText(value)}`
  const gas = `, ${grouped(gasUsed)} of ${grouped(gasLimit)} gas`
  lines.push(`    ${hash}`, clipped(`    from ${nameOf(from)}${target}${paid}${gas}`, columns))
  if (error !== null) lines.push(paint('red', `    Error: ${errorText(error.message, names)}`))
  for (const frame of frames) lines.push(paint('red', `      at ${printable(frame)}`))
  if (printed !== undefined) lines.push('    console.log:', ...printedLines(printed, '      '))
  return lines
}

/** The name of what is called, e.g. `Token.transfer`, or `<unrecognized contract>`. */
export function calledName({ to, data }: NamedCall, names: NameTexts): string {
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
function errorText(message: string, names: NameTexts | undefined): string {
  const text = printable(cut(message, MAX_LENGTH.message))
  return names?.errorText === undefined ? text : `${text}: ${printable(names.errorText)}`
}

/** A request as text, e.g. `eth_call Token.balanceOf  execution reverted: no`; no duration. */
export function requestText(
  event: RequestEvent,
  names: NameTexts | undefined,
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
