import { ErrorCode } from '../primitives/errors.ts'
import type { RequestEvent } from '../types.ts'

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
