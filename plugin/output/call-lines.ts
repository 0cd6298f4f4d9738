import type { Hex } from '../../devnet/primitives/hex.ts'
import type { RequestEvent } from '../../devnet/types.ts'
import type { CallNames, NamedCall } from '../artifacts/contract-names.ts'
import { areSecret, cut, printable, printableLines, shortened } from './escape.ts'
import { type Paint, titled } from './lines.ts'

/** Characters of a method's name, of a message, of one `console.log` and of parameters that are shown. */
const LONGEST = { method: 100, message: 1000, print: 16_384, parameters: 400 }

/** `0x` and 40 digits. */
const ADDRESS_LENGTH = 42

const PARSE_ERROR = -32700
const INVALID_PARAMS = -32602

/** `Token.transfer`; what is unknown is said to be so. */
export function calledName({ to, data }: NamedCall, names: CallNames): string {
  if (names.contract === undefined) return '<unrecognized contract>'
  const contract = printable(names.contract)
  if (to === null || data === '0x') return contract
  if (names.function !== undefined) {
    return `${contract}.${printable(names.function.replace(/\(.*$/s, ''))}`
  }
  return `${contract}.<unrecognized function ${data.slice(0, 10)}>`
}

/** What contracts printed, one `console.log` after the other, each line behind `indent`. */
export function printedLines(
  { messages, omitted }: { readonly messages: readonly string[]; readonly omitted: number },
  indent: string,
): string[] {
  const lines = messages.flatMap((message) =>
    printableLines(cut(message, LONGEST.print)).map((line) => (line === '' ? '' : indent + line)),
  )
  return omitted === 0 ? lines : [...lines, `${indent}… and ${omitted} more console.log`]
}

/** A message of an error, with the name of the error where the contract declares it. */
export function errorText(message: string, names: CallNames | undefined): string {
  const text = printable(cut(message, LONGEST.message))
  return names?.error === undefined ? text : `${text}: ${printable(names.error)}`
}

/** `eth_call Token.balanceOf  execution reverted: no`, without the time that it took. */
export function requestText(
  event: RequestEvent,
  called: string | undefined,
  names: CallNames | undefined,
  options: { readonly parameters: boolean; readonly paint: Paint },
): string {
  const { error, method, params } = event
  const title = error === null ? 'called' : 'failed'
  const parts = [
    [printable(cut(method ?? 'a message', LONGEST.method)), called].filter(Boolean).join(' '),
  ]
  if (options.parameters && params !== undefined) parts.push(parametersText(event))
  if (error !== null) parts.push(errorText(failureMessage(event), names))
  const text = titled(title, parts.join('  '))
  return error === null ? text : options.paint('red', text)
}

function parametersText({ method, params, error }: RequestEvent): string {
  if (areSecret(method, error?.code)) return '(parameters not shown)'
  return printable(cut(JSON.stringify(shortened(params)) ?? '', LONGEST.parameters))
}

/** Why a request failed, in words that cannot repeat a secret of it. */
export function failureMessage({ method, error }: Pick<RequestEvent, 'method' | 'error'>): string {
  if (error === null) return ''
  if (error.code === PARSE_ERROR) return 'parse error'
  if (error.code === INVALID_PARAMS && areSecret(method, undefined)) return 'invalid parameters'
  return error.message
}

/** The call in the parameters of `eth_call` and its like. */
export function callOf({ params }: Pick<RequestEvent, 'params'>): NamedCall | undefined {
  const [call]: unknown[] = Array.isArray(params) ? params : []
  if (typeof call !== 'object' || call === null) return undefined
  const { to, data, input }: { to?: unknown; data?: unknown; input?: unknown } = call
  const bytes = isHex(input) ? input : isHex(data) ? data : undefined
  if (isHex(to) && to.length === ADDRESS_LENGTH) return { to, data: bytes ?? '0x' }
  const creates = (to === undefined || to === null) && bytes !== undefined
  return creates ? { to: null, data: bytes } : undefined
}

/** What a contract that reverted returned. */
export function errorData({ error }: Pick<RequestEvent, 'error'>): Hex | undefined {
  return isHex(error?.data) ? error.data : undefined
}

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value)
}
