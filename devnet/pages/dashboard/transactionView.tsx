import { useState } from 'preact/hooks'
import type { TraceAnswer } from '../../dashboard/apiTypes/callTypes.ts'
import type { TransactionDetails } from '../../dashboard/apiTypes/transactionTypes.ts'
import { Key, Untrusted } from '../kit/elements.tsx'
import { plural } from '../kit/shownValue.ts'
import { CallTree } from './callTree.tsx'
import { Confirmed } from './confirmed.tsx'
import { Call, FailureText } from './decoded.tsx'
import { EventList } from './eventList.tsx'
import { useViewKeys } from './keyBindings.ts'
import { LifeLine } from './lifeLine.tsx'
import { LookedFor, Missing } from './lookedFor.tsx'
import { Copy, Panel, State } from './parts.tsx'
import { RawAnswer } from './rawAnswer.tsx'
import { links, navigate } from './router.ts'
import { StateChanges } from './stateChanges.tsx'
import { TransactionFacts } from './transactionFacts.tsx'
import { useAnswer } from './useAnswer.ts'

export function TransactionView({ hash }: { readonly hash: string }) {
  const isHash = /^0x[0-9a-fA-F]{64}$/.test(hash)
  if (!isHash) {
    return (
      <Missing title="This is not the hash of a transaction.">
        <p>It has 64 hexadecimal digits after 0x.</p>
      </Missing>
    )
  }
  return <KnownHash hash={hash.toLowerCase() as `0x${string}`} />
}

function KnownHash({ hash }: { readonly hash: `0x${string}` }) {
  const [last, setLast] = useState<TransactionDetails | undefined>(undefined)
  // What is sealed changes no more, unless it is taken back.
  const when = last?.state === 'sealed' ? 'undone' : 'always'
  const { answer, error } = useAnswer('transaction', { hash }, when)
  if (answer?.found === true && answer !== last) setLast(answer)
  if (error !== undefined) return <Missing title={error} />
  if (answer === undefined) return <p class="note">Loading…</p>
  if (answer.found) return <Details transaction={answer} />
  if (last === undefined) return <LookedFor place={answer} hash={hash} />
  return (
    <>
      <p class="banner">
        {answer.dropped === null ? (
          'A revert took this transaction away. This is what it was.'
        ) : (
          <span>
            This transaction was dropped: <Untrusted text={answer.dropped} />
          </span>
        )}
      </p>
      <Details transaction={last} isGone={true} />
    </>
  )
}

interface DetailsProps {
  readonly transaction: TransactionDetails
  readonly isGone?: boolean
}

function Details({ transaction, isGone = false }: DetailsProps) {
  const { hash, state, outcome, inBlock, ofSender } = transaction
  const isExecuted = state !== 'queued'
  const go = (to: string | null) => (to === null ? undefined : () => navigate(links.tx(to)))
  useViewKeys({
    '[': go(inBlock.previous),
    ']': go(inBlock.next),
    '{': go(ofSender.previous),
    '}': go(ofSender.next),
  })
  return (
    <>
      <div class="title">
        <h1>Transaction</h1>
        <State state={isGone ? 'dropped' : state} reverted={outcome?.success === false} />
        <div class="more">
          <Step to={inBlock.previous} words="← Previous" sign="[" />
          <Step to={inBlock.next} words="Next →" sign="]" />
          {state !== 'sealed' && !isGone && (
            <Confirmed
              label="Drop…"
              question="Drop this transaction?"
              params={{ name: 'drop', hash }}
              done="The transaction is dropped."
            />
          )}
        </div>
      </div>
      <p class="whole">
        <code class="wrap">{hash}</code> <Copy text={hash} what="hash" />
      </p>
      <LifeLine transaction={transaction} />
      {isExecuted && !isGone ? (
        <Executed transaction={transaction} />
      ) : (
        <Told transaction={transaction} />
      )}
      <RawAnswer hash={hash} isSealed={state === 'sealed'} />
    </>
  )
}

interface StepProps {
  readonly to: string | null
  readonly words: string
  readonly sign: string
}

/** Leads to another transaction of the block. */
function Step({ to, words, sign }: StepProps) {
  if (to === null) return null
  return (
    <a class="button small" href={links.tx(to)} title="In the block">
      {words} <Key name={sign} />
    </a>
  )
}

/** Facts that are known without executing it again. */
function Told({ transaction }: { readonly transaction: TransactionDetails }) {
  const { to, call, input, outcome } = transaction
  return (
    <>
      <Panel title={to === null ? 'Creation' : 'Call'}>
        <Call call={call} input={input} />
      </Panel>
      <TransactionFacts transaction={transaction} />
      {outcome !== null && <EventList events={outcome.events} omitted={outcome.omittedEvents} />}
    </>
  )
}

/** All of it, also what only executing it again tells: why it failed, calls, changes. */
function Executed({ transaction }: { readonly transaction: TransactionDetails }) {
  const { hash, outcome } = transaction
  // The seal changes nothing of it, so that what was opened stays open.
  const { answer, error } = useAnswer('trace', { hash }, 'undone')
  return (
    <>
      {outcome?.success === false && (
        <Panel title="Why it failed">
          <div class="pad">
            {answer?.failure != null ? (
              <FailureText failure={answer.failure} />
            ) : (
              <p class="note">
                {error === undefined ? 'Executing it again…' : <Untrusted text={error} />}
              </p>
            )}
          </div>
        </Panel>
      )}
      <Told transaction={transaction} />
      {error !== undefined ? (
        <Panel title="Calls">
          <p class="pad note">
            <Untrusted text={error} />
          </p>
        </Panel>
      ) : answer === undefined ? (
        <p class="note pad">Executing it again to see its calls…</p>
      ) : (
        <>
          <Printed trace={answer} />
          <CallTree trace={answer} />
          <StateChanges trace={answer} />
        </>
      )}
    </>
  )
}

function Printed({ trace: { console: lines, omittedConsole } }: { readonly trace: TraceAnswer }) {
  if (lines.length === 0) return null
  return (
    <Panel title="console.log">
      <pre class="wrapped">
        {lines.map((line, index) => (
          <div key={index}>
            <Untrusted text={line} />
          </div>
        ))}
      </pre>
      {omittedConsole > 0 && <p class="pad note">{`and ${plural(omittedConsole, 'line')} more`}</p>}
    </Panel>
  )
}
