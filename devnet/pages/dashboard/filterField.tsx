import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Match } from '../../dashboard/api.ts'
import { Combobox, type Suggestion, useMatches } from './combobox.tsx'
import { links, navigate } from './router.ts'

/** The term at the end of a text: its key, if it has one, and the beginning of its value. */
const LAST_TERM = /(?:([a-z]+):)?"?((?:account\s+)?[^\s":]*)$/i

/** ms of rest after a letter before the list is filtered anew. */
const REST = 250

/** The filter of the list of transactions as text: it filters as one types. */
export function FilterField({ query }: { readonly query: URLSearchParams }) {
  const given = termsOf(query)
  const [text, setText] = useState(given)
  const sent = useRef(given)
  const apply = () => {
    const q = text.trim()
    if (q === sent.current) return
    const rest = [...query].filter(([name]) => name === 'state' || name === 'reverted')
    // One step back leads to the list before the first letter.
    const how = sent.current === '' ? 'push' : 'replace'
    sent.current = q
    navigate(links.txs(Object.fromEntries(q === '' ? rest : [...rest, ['q', q]])), how)
  }
  useEffect(() => {
    if (given === sent.current) return
    sent.current = given
    setText(given)
  }, [given])
  useEffect(() => {
    const timer = setTimeout(apply, REST)
    return () => clearTimeout(timer)
  }, [text, query])

  const [, key = '', word = ''] = LAST_TERM.exec(text) ?? []
  const isParty = key === 'from' || key === 'to'
  const { matches } = useMatches(
    key === 'status' || key === 'block' ? '' : word || (isParty ? 'account' : ''),
  )
  const suggestions = useMemo(() => suggestionsOf(key, word, matches), [key, word, matches])
  return (
    <div class="filter-field">
      <Combobox
        id="filter"
        label="Filter transactions"
        placeholder="Filter: Account #9, Vault.withdraw, status:reverted"
        text={text}
        suggestions={suggestions}
        onText={setText}
        onPick={({ value }) => {
          const next = text.replace(LAST_TERM, () => value)
          setText(value.endsWith(':') ? next : `${next} `)
        }}
        onEnter={apply}
      />
    </div>
  )
}

/** Terms of an address, those of older links included. */
export function termsOf(query: URLSearchParams): string {
  const named = ['contract', 'function'].flatMap((key) =>
    query
      .getAll(key)
      .map((name) => `${key}:${/[\s"(]/.test(name) ? `"${name.replaceAll('"', '')}"` : name}`),
  )
  return [query.get('q') ?? '', ...named, ...query.getAll('address')].join(' ').trim()
}

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
function suggestionsOf(
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
