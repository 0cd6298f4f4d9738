import type { Event } from '../../dashboard/naming.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, plural } from '../kit/shownValue.ts'
import { Arguments, BytesText } from './decoded.tsx'
import { Address, Panel } from './parts.tsx'

interface EventListProps {
  readonly events: readonly Event[]
  readonly omitted: number
}

/** The events of a transaction, decoded as far as that is possible. */
export function EventList({ events, omitted }: EventListProps) {
  if (events.length === 0) return null
  return (
    <Panel title="Events" more={<span class="note">{count(events.length + omitted)}</span>}>
      <ul class="events">
        {events.map((event) => (
          <EventRow key={event.index} event={event} />
        ))}
      </ul>
      {omitted > 0 && <p class="pad note">{`and ${plural(omitted, 'event')} more`}</p>}
    </Panel>
  )
}

function EventRow({ event }: { readonly event: Event }) {
  const {
    index,
    address,
    contract,
    event: signature,
    arguments: list,
    problem,
    topics,
    data,
  } = event
  return (
    <li>
      <p class="called">
        <span class="note">{`log ${index}`}</span>{' '}
        {signature === null ? (
          <span class="note">Unknown event</span>
        ) : (
          <Untrusted within="strong" text={signature.replace(/\(.*$/s, '')} />
        )}{' '}
        <span class="note">of</span> <Address address={address} name={contract ?? undefined} />
      </p>
      {list !== null && list.length > 0 && <Arguments list={list} />}
      {list === null && (
        <div class="unknown">
          {problem !== null && <Untrusted within="p" class="note" text={problem} />}
          {topics.map((topic) => (
            <p key={topic}>
              <code class="wrap">{topic}</code>
            </p>
          ))}
          {data.size > 0 && <BytesText bytes={data} />}
        </div>
      )}
    </li>
  )
}
