import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Combobox, useMatches } from './combobox.tsx'
import { suggestionsOf } from './filterSuggestions.ts'
import { links, navigate } from './router.ts'

/** The term at the end of a text: its key, if it has one, and the beginning of its value. */
const LAST_TERM = /(?:([a-z]+):)?"?((?:account\s+)?[^\s":]*)$/i

/** ms of rest after a letter before the list is filtered anew. */
const REST = 250

/** The filter of the list of transactions as text: it filters as one types. */
export function FilterField({ query }: { readonly query: URLSearchParams }) {
  const given = filterText(query)
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
export function filterText(query: URLSearchParams): string {
  const named = ['contract', 'function'].flatMap((key) =>
    query
      .getAll(key)
      .map((name) => `${key}:${/[\s"(]/.test(name) ? `"${name.replaceAll('"', '')}"` : name}`),
  )
  return [query.get('q') ?? '', ...named, ...query.getAll('address')].join(' ').trim()
}
