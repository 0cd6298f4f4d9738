import type { Match } from '../../dashboard/methods/resolve.ts'
import type { Suggestion } from './combobox.tsx'

/** Keys of terms, each with its meaning. */
const KEYS = {
  from: 'sender',
  to: 'recipient, contract or token',
  contract: 'its name',
  function: 'its name',
  event: 'emits it',
  block: '20 or 20..30',
  status: 'reverted, success, queued…',
}
const STATUSES = ['reverted', 'success', 'queued', 'preconfirmed', 'sealed', 'dropped']

/** Kinds of matches that go with a key. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  '': ['address', 'token', 'contract', 'function', 'event'],
  from: ['address'],
  to: ['address', 'token', 'contract'],
  contract: ['contract'],
  function: ['function'],
  event: ['event'],
}

/**
 * Suggestions for the term at the end of a filter.
 *
 * @param key - of the term; empty if it has none
 * @param word - beginning of its value
 */
export function suggestionsOf(
  key: string,
  word: string,
  matches: readonly Match[],
): readonly Suggestion[] {
  const isBegun = (name: string) => name.startsWith(word.toLowerCase())
  if (key === 'status') {
    return STATUSES.filter(isBegun).map((text) => ({ kind: key, text, value: `status:${text}` }))
  }
  const fitting = matches.filter(({ kind }) => KINDS[key]?.includes(kind))
  const keys = key === '' ? Object.entries(KEYS).filter(([name]) => isBegun(name)) : []
  return [
    ...fitting.map(({ kind, text }) => ({ kind, text, value: termOf(key, kind, text) })),
    ...keys.map(([name, kind]) => ({ kind, text: `${name}:`, value: `${name}:` })),
  ]
}

function termOf(key: string, kind: string, text: string): string {
  const [, first = '', last = ''] = /^(.*)\.([^.]*)$/.exec(text) ?? []
  if (kind === 'event') return `event:${last}`
  if (kind === 'function' && key !== '') return `function:${last}`
  if (kind === 'function') return `contract:${quoted(first)} function:${last}`
  const own = key === '' && kind === 'contract' ? kind : key
  return own === '' ? quoted(text) : `${own}:${quoted(text)}`
}

function quoted(name: string): string {
  return /[\s"(]/.test(name) ? `"${name.replaceAll('"', '')}"` : name
}
