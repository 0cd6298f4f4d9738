import { useState } from 'preact/hooks'
import { Untrusted } from '../kit/elements.tsx'
import { count } from '../kit/shownValue.ts'
import { Arguments, FailureText } from './decoded.tsx'
import { EventList } from './eventList.tsx'
import { LifeLine } from './lifeLine.tsx'
import { TxHash } from './parts.tsx'
import type { Answer } from './store.ts'
import { useAnswer } from './useAnswer.ts'

/** A sentence of the node, if there is one. */
export function Alert({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p class="alert" role="alert">
      <Untrusted text={text} />
    </p>
  )
}

/** Effects of a transaction that was not sent. */
export function Simulated({ answer }: { readonly answer: Answer<'simulate'> }) {
  const { failure, returns, gasUsed, block, assets, events, omittedEvents } = answer
  const words = `in the pending block #${count(block)}, with ${count(gasUsed)} gas`
  return (
    <section class="outcome" aria-label="Simulation" role="status">
      <p>
        <strong>{failure === null ? 'It would succeed' : 'It would fail'}</strong>{' '}
        <span class="note">{words}</span>
      </p>
      {failure !== null && <FailureText failure={failure} />}
      {returns !== null && returns.length > 0 && (
        <>
          <h3>Returns</h3>
          <Arguments list={returns} />
        </>
      )}
      <h3>Asset changes of the sender</h3>
      <ul>
        {(assets.length === 0 ? ['None but the fee'] : assets).map((line) => (
          <Untrusted key={line} within="li" text={line} />
        ))}
      </ul>
      <EventList events={events} omitted={omittedEvents} />
    </section>
  )
}

/** The life of a transaction that was sent, as it goes on. */
export function Sent({ hash }: { readonly hash: `0x${string}` }) {
  const [isSealed, seal] = useState(false)
  const { answer, error } = useAnswer('transaction', { hash }, isSealed ? 'undone' : 'always')
  const found = answer?.found === true ? answer : undefined
  if (answer !== undefined && isSealed !== (found?.state === 'sealed')) seal(!isSealed)
  return (
    <section class="outcome" aria-label="Sent">
      <p>
        <strong>Sent</strong> <TxHash hash={hash} />
      </p>
      <Alert text={error} />
      {found !== undefined && <LifeLine transaction={found} />}
      {answer?.found === false && (
        <p class="note">
          <Untrusted text={answer.dropped ?? 'A revert took this transaction away.'} />
        </p>
      )}
      {found?.outcome?.success === false && <Reason hash={hash} />}
    </section>
  )
}

function Reason({ hash }: { readonly hash: `0x${string}` }) {
  const { answer } = useAnswer('trace', { hash }, 'undone')
  return answer?.failure == null ? null : <FailureText failure={answer.failure} />
}
