import type { Hex, RequestEvent } from '../../devnet/index.ts'
import { ErrorCode, isObject } from '../../devnet/pluginApi.ts'
import type { NamedCall } from '../artifacts/contract-names.ts'

/** How many characters of a method's name, an error's message and a `console.log` are shown. */
export const MAX_LENGTH = { method: 100, message: 1000, print: 16_384 }

/** Methods whose parameters are private: passwords, keys, and data to sign. */
const SECRET = /^(?:personal_|wallet_|eth_sign)/

/** Whether to keep a request's parameters out of the log: they are private, or may be. */
export function areSecret(method: string | null, errorCode: number | undefined): boolean {
  return method === null || SECRET.test(method) || errorCode === ErrorCode.methodNotFound
}

/** Why a request failed, in words that cannot quote its private parameters. */
export function failureMessage({ method, error }: Pick<RequestEvent, 'method' | 'error'>): string {
  if (error === null) return ''
  if (error.code === ErrorCode.parse) return 'parse error'
  if (error.code === ErrorCode.invalidParams && areSecret(method, undefined)) {
    return 'invalid parameters'
  }
  return error.message
}

/** Length of an address in characters: `0x` and 40 digits. */
const ADDRESS_LENGTH = 42

/** The call in the parameters of `eth_call` and similar methods; `undefined` if there is none. */
export function callOf({ params }: Pick<RequestEvent, 'params'>): NamedCall | undefined {
  const [call]: unknown[] = Array.isArray(params) ? params : []
  if (!isObject(call)) return undefined
  const { to, data, input } = call
  const bytes = isHex(input) ? input : isHex(data) ? data : undefined
  if (isHex(to) && to.length === ADDRESS_LENGTH) return { to, data: bytes ?? '0x' }
  const creates = (to === undefined || to === null) && bytes !== undefined
  return creates ? { to: null, data: bytes } : undefined
}

/** The bytes that a contract reverted with; `undefined` if the error has none. */
export function errorData({ error }: Pick<RequestEvent, 'error'>): Hex | undefined {
  return isHex(error?.data) ? error.data : undefined
}

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value)
}

/** Strings longer than this are cut; an address or a hash is not. */
const MAX_STRING = 66

/** How many entries of an array or object are shown at most. */
const MAX_ENTRIES = 12

/** Deepest nesting of arrays and objects that is shown. */
const MAX_DEPTH = 5

/** How many values of all parameters together are shown at most. */
const MAX_VALUES = 64

/** The parameters of a request, cut so that their JSON is never long. */
export function shortened(params: unknown): unknown {
  let left = MAX_VALUES
  const shorten = (value: unknown, depth: number): unknown => {
    if (--left < 0) return '…'
    if (typeof value === 'string') return shortString(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth >= MAX_DEPTH) return '…'
    if (Array.isArray(value)) {
      const shown = value.slice(0, MAX_ENTRIES).map((entry) => shorten(entry, depth + 1))
      const rest = value.length - shown.length
      return rest > 0 ? [...shown, `… ${rest} more`] : shown
    }
    const entries: [string, unknown][] = []
    for (const [name, entry] of Object.entries(value)) {
      if (entries.length >= MAX_ENTRIES) {
        entries.push(['…', 'more'])
        break
      }
      entries.push([shortString(name), shorten(entry, depth + 1)])
    }
    return Object.fromEntries(entries)
  }
  return shorten(params, 0)
}

function shortString(text: string): string {
  if (text.length <= MAX_STRING) return text
  return `${text.slice(0, MAX_STRING / 2)}… (${text.length} characters)`
}
