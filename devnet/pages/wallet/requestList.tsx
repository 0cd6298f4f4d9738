import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { visible } from '../../primitives/visible.ts'
import type { PendingRequest, Policy } from '../../wallet/types.ts'
import { Untrusted } from '../kit/elements.tsx'
import type { Act, Control, Snapshot } from './control.ts'
import { Card } from './requestCard.tsx'
import { originText } from './text.ts'

interface RequestsProps {
  /** `undefined` on a page that may show nothing, or has nothing to show yet. */
  readonly snapshot: Snapshot | undefined
  /** A title and a sentence in place of the requests. */
  readonly instead: readonly [title: string, text: string] | undefined
  readonly call: Control['call']
  readonly act: Act
}

export function Requests({ snapshot, instead, call, act }: RequestsProps) {
  const pending = snapshot?.state.pending ?? []
  const [wantedId, setWanted] = useState<string | undefined>(undefined)
  const shown = pending.find(({ id }) => id === wantedId) ?? pending[0]
  const key = shown && cardKey(shown)
  const [title, text] = instead ?? emptyWords(snapshot)
  const place = useRef<HTMLDivElement>(null)
  // Before the card is replaced, which has the focus.
  const hadFocus = place.current?.contains(document.activeElement) ?? false
  useLayoutEffect(() => {
    // The card that is shown stays, whatever comes before it.
    setWanted(shown?.id)
    const isFree = shown !== undefined && document.activeElement === document.body
    // Without a scroll: the card may be taller than the window, whose top is what is read first.
    document.querySelector('#queue [aria-current]')?.scrollIntoView({ block: 'nearest' })
    if (hadFocus || isFree) {
      place.current?.querySelector<HTMLElement>('[tabindex]')?.focus({ preventScroll: true })
    }
  }, [key])
  return (
    <>
      {pending.length > 1 && shown !== undefined && (
        <All pending={pending} position={pending.indexOf(shown) + 1} act={act} />
      )}
      {pending.length > 1 && (
        <ul id="queue" class="queue" aria-label="Requests that wait">
          {pending.map(({ id, origin, summary }) => (
            <li key={id}>
              <button
                type="button"
                aria-current={id === shown?.id ? 'true' : undefined}
                onClick={() => setWanted(id)}
              >
                <span class="what">{visible(summary.title)}</span>
                <Untrusted class="detail" text={summary.detail ?? ''} />
                <span class="who">{visible(originText(origin))}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div id="card" ref={place}>
        {snapshot !== undefined && shown !== undefined ? (
          <Card key={key} request={shown} snapshot={snapshot} call={call} />
        ) : (
          title !== undefined && (
            <div class="empty" tabIndex={-1}>
              <div class="mark" aria-hidden="true" />
              <h3>{title}</h3>
              <p>{text}</p>
            </div>
          )
        )}
      </div>
    </>
  )
}

interface AllProps {
  readonly pending: readonly PendingRequest[]
  /** Of the request that is shown, from 1. */
  readonly position: number
  readonly act: Act
}

/** The number of requests that wait, and what decides all of them; those with a warning stay. */
function All({ pending, position, act }: AllProps) {
  const good = pending.filter(({ summary }) => summary.warnings.length === 0)
  const button = (label: string, command: Decide, requests: readonly PendingRequest[]) => (
    <button
      type="button"
      class="small"
      disabled={requests.length === 0}
      onClick={() => {
        for (const { id } of requests) act(command, { id })
      }}
    >
      {label}
    </button>
  )
  const count =
    good.length === pending.length ? `all ${good.length}` : `${good.length} without warning`
  return (
    <div class="policy all">
      <strong>{`Request ${position} of ${pending.length}`}</strong>
      {button(`Reject all ${pending.length}`, 'control_reject', pending)}
      {button(`Approve ${count}`, 'control_approve', good)}
    </div>
  )
}

type Decide = 'control_approve' | 'control_reject'

/** Includes the summary: when a simulation completes it, the request appears as a new card. */
function cardKey({ id, summary }: PendingRequest): string {
  return JSON.stringify([id, summary])
}

/** Words of an empty queue, by the decision of the policy. */
const EMPTY: Record<Policy['default'], string> = {
  hold: 'They appear here until you decide.',
  approve: 'New requests are approved automatically. Choose “Ask me” to decide them here.',
  reject: 'New requests are rejected automatically. Choose “Ask me” to decide them here.',
}

function emptyWords(snapshot: Snapshot | undefined): readonly [title?: string, text?: string] {
  return snapshot === undefined ? [] : ['No requests waiting', EMPTY[snapshot.state.policy.default]]
}
