import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Match } from '../../dashboard/methods/resolve.ts'
import { Untrusted } from '../kit/elements.tsx'
import { call, tell } from './store.ts'

/** A suggestion. */
export interface Suggestion {
  readonly text: string
  readonly kind: string
  /** Text to set, or address of a view. */
  readonly value: string
}

interface ComboboxProps {
  readonly id: string
  readonly label: string
  readonly placeholder: string
  readonly text: string
  readonly suggestions: readonly Suggestion[]
  /** True if the first suggestion is chosen without a key. */
  readonly isEager?: boolean
  /** Stands above the suggestions. */
  readonly note?: string | undefined
  readonly disabled?: boolean
  readonly onText: (text: string) => void
  readonly onPick: (suggestion: Suggestion) => void
  /** Called with Enter if no suggestion is chosen. */
  readonly onEnter: () => void
}

/** A field with suggestions, for arrows, Enter and Escape (ARIA combobox). */
export function Combobox(props: ComboboxProps) {
  const { id, label, placeholder, text, suggestions, note, isEager = false } = props
  const [isOpen, setOpen] = useState(false)
  const [chosen, choose] = useState(-1)
  const count = suggestions.length
  useEffect(() => choose(isEager && count > 0 ? 0 : -1), [suggestions, isEager])
  const isShown = isOpen && (count > 0 || note !== undefined)
  const pick = (suggestion: Suggestion) => {
    setOpen(false)
    props.onPick(suggestion)
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const { key } = event
    const by = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0
    if (by !== 0) {
      setOpen(true)
      // Above the first one there is the text as typed.
      choose(((chosen + 1 + by + count + 1) % (count + 1)) - 1)
    } else if (key === 'Enter') {
      const suggestion = isShown ? suggestions[chosen] : undefined
      if (suggestion === undefined) props.onEnter()
      else pick(suggestion)
    } else if (key === 'Escape') {
      if (isShown) setOpen(false)
      else event.currentTarget.blur()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <input
        id={id}
        class="field"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-activedescendant={isShown && chosen >= 0 ? `${id}-${chosen}` : undefined}
        placeholder={placeholder}
        autoComplete="off"
        spellcheck={false}
        disabled={props.disabled}
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setOpen(true)
          props.onText(value)
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      <div class="finding" hidden={!isShown}>
        <span role="status">{isShown && note}</span>
        <div role="listbox" id={`${id}-list`} aria-label="Suggestions">
          {suggestions.map((suggestion, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the field
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
            <div
              key={`${suggestion.kind} ${suggestion.value}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              // The field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => pick(suggestion)}
            >
              <Untrusted text={suggestion.text} /> <span class="note">{suggestion.kind}</span>
            </div>
          ))}
        </div>
      </div>
    </>
  )
}

/** ms of rest after a letter before the node is asked. */
const REST = 120

const NONE: readonly Match[] = []

/** Matches of a text as it is typed; those of the text before until they are known. */
export function useMatches(text: string): { readonly of: string; readonly matches: typeof NONE } {
  const [found, setFound] = useState({ of: '', matches: NONE })
  useEffect(() => {
    let isGone = false
    const ask = async () => {
      try {
        const { matches } = text === '' ? { matches: NONE } : await call('resolve', { text })
        if (!isGone) setFound({ of: text, matches })
      } catch (error) {
        tell(error)
      }
    }
    const timer = setTimeout(ask, REST)
    return () => {
      isGone = true
      clearTimeout(timer)
    }
  }, [text])
  return found
}
