import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Command } from '../../dashboard/methods/command.ts'
import { canCommand, command } from './store.ts'

interface ConfirmedProps {
  readonly label: string
  readonly question: string
  readonly params: Command
  readonly done: string
}

/** The button of a destructive command: replaces itself by a question before it acts. */
export function Confirmed({ label, question, params, done }: ConfirmedProps) {
  const [isAsked, setAsked] = useState(false)
  const sure = useRef<HTMLButtonElement>(null)
  const first = useRef<HTMLButtonElement>(null)
  const wasAsked = useRef(false)
  // Moves the focus before the next key can be pressed.
  useLayoutEffect(() => {
    if (isAsked) sure.current?.focus()
    else if (wasAsked.current) first.current?.focus()
    wasAsked.current = isAsked
  }, [isAsked])
  if (!isAsked) {
    return (
      <button
        ref={first}
        type="button"
        class="button small"
        disabled={!canCommand.value}
        onClick={() => setAsked(true)}
      >
        {label}
      </button>
    )
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape belongs to both of its buttons
    <span
      class="confirm"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        setAsked(false)
      }}
    >
      <span>{question}</span>
      <button
        ref={sure}
        type="button"
        class="button small danger"
        disabled={!canCommand.value}
        onClick={() => {
          setAsked(false)
          command(params, done)
        }}
      >
        {label.replace('…', '')}
      </button>
      <button type="button" class="button small" onClick={() => setAsked(false)}>
        Cancel
      </button>
    </span>
  )
}
