import { useState } from 'preact/hooks'
import { plural } from '../kit/shownValue.ts'
import { useAnswer } from './useAnswer.ts'

/** Answers of the node's own methods, asked for when it is opened. */
export function RawAnswer({ hash, isSealed }: RawAnswerProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details
      class="panel raw"
      id="raw"
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open)
      }}
    >
      <summary class="pad">Raw</summary>
      {isOpen && <Opened hash={hash} isSealed={isSealed} />}
    </details>
  )
}

/** Leads to {@link RawAnswer}, at the end of the page, and opens it. */
export function RawLink() {
  const open = () => {
    const raw = document.getElementById('raw')
    raw?.setAttribute('open', '')
    raw?.scrollIntoView()
    raw?.querySelector('summary')?.focus()
  }
  return (
    <button type="button" class="button small" onClick={open}>
      Raw
    </button>
  )
}

interface RawAnswerProps {
  readonly hash: `0x${string}`
  readonly isSealed: boolean
}

function Opened({ hash, isSealed }: RawAnswerProps) {
  const { answer, error } = useAnswer('raw', { hash }, isSealed ? 'undone' : 'always')
  if (error !== undefined) return <p class="pad note">{error}</p>
  if (answer === undefined) return <p class="pad note">Loading…</p>
  const { transaction, receipt, omittedEvents } = answer
  return (
    <>
      <pre>{JSON.stringify({ transaction, receipt }, null, 2)}</pre>
      {omittedEvents > 0 && <p class="pad note">{`and ${plural(omittedEvents, 'event')} more`}</p>}
    </>
  )
}
