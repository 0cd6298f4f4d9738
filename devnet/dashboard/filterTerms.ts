import { InvalidParamsError, shorten } from '../primitives/errors.ts'

const STATUSES = ['queued', 'dropped', 'preconfirmed', 'sealed', 'reverted', 'success'] as const

/** A term of a filter; its text is in lower case. */
export type Term =
  /** `any`: a part of a name, the beginning of a hash, or an account. Otherwise a whole name. */
  | { readonly key: (typeof NAMED)[number] | 'any'; readonly text: string }
  | { readonly key: 'block'; readonly first: number; readonly last: number }
  | { readonly key: 'status'; readonly status: (typeof STATUSES)[number] }

const NAMED = ['from', 'to', 'contract', 'function', 'event'] as const

const MOST_TERMS = 20

/** A term: its key, if it has one, and then a quoted name, an account or a word. */
const TERM = /(?:([a-z]+):)?(?:"([^"]*)"?|(account\s+#?\d+)|([^\s"(]+)(?:\([^)]*\)?)?|(?=\s|$))/iy

/**
 * Reads a filter as it is typed.
 *
 * @throws {InvalidParamsError} with a sentence, if a term has no meaning
 */
export function readTerms(text: string): readonly Term[] {
  const terms: Term[] = []
  for (let rest = text.trim(); rest !== ''; ) {
    TERM.lastIndex = 0
    const [whole = '', key, ...values] = TERM.exec(rest) ?? []
    if (whole === '') throw new InvalidParamsError(`“${shorten(rest, 40)}” is not a filter.`)
    rest = rest.slice(whole.length).trimStart()
    const value = values.find((one) => one !== undefined) ?? ''
    terms.push(...parseTerm(key?.toLowerCase(), value.toLowerCase()))
    if (terms.length > MOST_TERMS) {
      throw new InvalidParamsError(`A filter has ${MOST_TERMS} terms at most.`)
    }
  }
  return terms
}

function parseTerm(key: string | undefined, given: string): readonly Term[] {
  const text = given.replace(/^account\s*#?(\d+)$/, 'account #$1')
  const named = NAMED.find((one) => one === key)
  if (key === 'block') return [blockTerm(text)]
  if (key === 'status') return [statusTerm(text)]
  if (key !== undefined && named === undefined) {
    const known = NAMED.map((one) => `${one}:`).join(', ')
    throw new InvalidParamsError(
      `There is no ${shorten(key, 40)}: here, but ${known}, block: and status:.`,
    )
  }
  if (text === '' && named === undefined) return []
  if (text === '') throw new InvalidParamsError(`${named}: wants a value, e.g. ${named}:Vault.`)
  if (named !== undefined) return [{ key: named, text }]
  if (/^#?\d{1,15}$/.test(text)) return [blockTerm(text)]
  const [, contract, name] = /^([^\s.]+)\.([^\s.]*)$/.exec(text) ?? []
  if (contract === undefined) return [{ key: 'any', text }]
  return [{ key: 'contract', text: contract }, ...(name ? parseTerm('function', name) : [])]
}

function blockTerm(text: string): Term {
  const [, first, isRange, last = isRange && Number.MAX_SAFE_INTEGER] =
    /^#?(\d{1,15})(?:(\.\.)(\d{1,15})?)?$/.exec(text) ?? []
  if (first !== undefined) {
    return { key: 'block', first: Number(first), last: Number(last ?? first) }
  }
  throw new InvalidParamsError('block: wants a number or a range, e.g. block:20 or block:20..30.')
}

function statusTerm(text: string): Term {
  const plain = text.replace('-', '').replace(/^(?:waiting|pending)$/, 'queued')
  const status = STATUSES.find((one) => one === plain)
  if (status !== undefined) return { key: 'status', status }
  throw new InvalidParamsError(`status: is one of ${STATUSES.join(', ')}.`)
}
