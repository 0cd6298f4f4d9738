import { useEffect, useMemo, useState } from 'preact/hooks'
import { Key } from '../kit/elements.tsx'
import { Combobox, type Suggestion, useMatches } from './combobox.tsx'
import { Icon } from './icons.tsx'
import { SEARCH_FIELD } from './keyBindings.ts'
import { BASE, links, navigate } from './router.ts'
import { link } from './store.ts'

/** The search of the header: it opens what it finds. */
export function HeaderSearch() {
  const [text, setText] = useState('')
  /** The text with which Enter was pressed, before its matches were there. */
  const [entered, enter] = useState<string | undefined>(undefined)
  const wanted = text.trim()
  const { of, matches } = useMatches(wanted)
  const suggestions = useMemo<readonly Suggestion[]>(
    () =>
      of === ''
        ? []
        : [
            ...matches.map(({ kind, text: words, path }) => ({
              kind,
              text: words,
              value: `${BASE}${path}`,
            })),
            { kind: 'in transactions', text: of, value: links.txs({ q: of }) },
          ],
    [of, matches],
  )
  const open = ({ value }: Suggestion) => {
    setText('')
    enter(undefined)
    navigate(value)
    document.querySelector('main')?.focus()
  }
  const [best] = suggestions
  const isFound = of === wanted && matches.length > 0
  useEffect(() => {
    if (isFound && entered === wanted && best !== undefined) open(best)
  }, [isFound, entered])
  return (
    // biome-ignore lint/a11y/useSemanticElements: <search> has no style of its own here
    <div class="search" role="search">
      <Icon name="find" />
      <Combobox
        id={SEARCH_FIELD}
        label="Search"
        placeholder="Block, hash, address, name"
        text={text}
        suggestions={suggestions}
        isEager={isFound}
        note={of !== '' && matches.length === 0 ? 'No match' : undefined}
        disabled={link.value !== 'live'}
        onText={setText}
        onPick={open}
        onEnter={() => enter(wanted)}
      />
      <Key name="/" />
    </div>
  )
}
