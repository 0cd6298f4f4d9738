import { ErrorCode } from '../primitives/errors.ts'
import type { RequestEvent } from '../types.ts'

/** Methods whose parameters are private: passwords, keys, and data to sign. */
const SECRET = /^(?:personal_|wallet_|eth_sign)/

/** Names, known or not, whose parameters are private in none that looks like them. */
const HARMLESS = /^(?:eth|evm|debug|net|web3|txpool|preconf|ots)_(?!.*(?:sign|acc|key|pass))/i

/** Methods that may name an upstream, whose URL and headers hold keys. */
const NAMES_UPSTREAM = /^(?:hardhat|anvil)_(?:reset|setRpcUrl)$/

/** Stands in the place of a secret. */
const MASK = '***'

/**
 * A request's parameters for the log: cut so that their JSON is never long, and without keys of an
 * upstream. `undefined` if there are none, or if they are private, or may be.
 */
export function shownParameters({
  method,
  params,
  error,
}: Pick<RequestEvent, 'method' | 'params' | 'error'>): unknown {
  if (method === null || SECRET.test(method)) return undefined
  // It may be a misspelt method whose parameters are private.
  if (error?.code === ErrorCode.methodNotFound && !HARMLESS.test(method)) return undefined
  return shortened(params, NAMES_UPSTREAM.test(method) ? withoutKeys : undefined)
}

/** A part of the parameters that may name an upstream: of a URL, no more than its origin. */
function withoutKeys(value: unknown, name: string | undefined): unknown {
  if (name === 'httpHeaders') return MASK
  if (typeof value !== 'string' || name === 'blockNumber') return value
  const url = URL.parse(value)
  return url !== null && /^https?:$/.test(url.protocol) ? `${url.origin}/${MASK}` : MASK
}

/** Reason why a request failed, in words that cannot quote its private parameters. */
export function failureMessage({ method, error }: Pick<RequestEvent, 'method' | 'error'>): string {
  if (error === null) return ''
  if (error.code === ErrorCode.parse) return 'parse error'
  const isPrivate = method === null || SECRET.test(method) || NAMES_UPSTREAM.test(method)
  if (error.code === ErrorCode.invalidParams && isPrivate) return 'invalid parameters'
  return error.message
}

/** Strings longer than this are cut; an address or a hash is not. */
const MAX_STRING = 66

/** Maximum number of entries of an array or object that are shown. */
const MAX_ENTRIES = 12

/** Deepest nesting of arrays and objects that is shown. */
const MAX_DEPTH = 5

/** Maximum number of values of all parameters together that are shown. */
const MAX_VALUES = 64

/**
 * A value of JSON, cut so that its text is never long.
 *
 * @param show - what is cut in the place of a value, by the name of its property. Default: itself
 */
export function shortened(
  json: unknown,
  show: (value: unknown, name: string | undefined) => unknown = (value) => value,
): unknown {
  let left = MAX_VALUES
  const shorten = (given: unknown, depth: number, property?: string): unknown => {
    if (--left < 0) return '…'
    const value = show(given, property)
    if (typeof value === 'string') return shortString(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth >= MAX_DEPTH) return '…'
    if (Array.isArray(value)) {
      const shown = value.slice(0, MAX_ENTRIES).map((entry) => shorten(entry, depth + 1, property))
      const rest = value.length - shown.length
      return rest > 0 ? [...shown, `… ${rest} more`] : shown
    }
    const entries: [string, unknown][] = []
    for (const [name, entry] of Object.entries(value)) {
      if (entries.length >= MAX_ENTRIES) {
        entries.push(['…', 'more'])
        break
      }
      entries.push([shortString(name), shorten(entry, depth + 1, name)])
    }
    return Object.fromEntries(entries)
  }
  return shorten(json, 0)
}

function shortString(text: string): string {
  if (text.length <= MAX_STRING) return text
  return `${text.slice(0, MAX_STRING / 2)}… (${text.length} characters)`
}
