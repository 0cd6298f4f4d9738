import { useState } from 'preact/hooks'
import type { TransactionDetails } from '../../dashboard/methods/transaction.ts'
import { Untrusted } from '../kit/elements.tsx'
import { plural } from '../kit/shownValue.ts'
import { CallTree } from './callTree.tsx'
import { Confirmed } from './confirmed.tsx'
import { type CopiedCall, castArguments } from './copyAs.ts'
import { CopyAsMenu } from './copyAsMenu.tsx'
import { useViewKeys } from './keyBindings.ts'
import { LifeLine } from './lifeLine.tsx'
import { DroppedWords, LookedFor } from './lookedFor.tsx'
import { Copy, Missing, Panel, State } from './parts.tsx'
import { RawAnswer, RawLink } from './rawAnswer.tsx'
import { links, navigate } from './router.ts'
import { StateChanges } from './stateChanges.tsx'
import { type Answer, call } from './store.ts'
import { Step, TransactionFacts } from './transactionFacts.tsx'
import { useAnswer } from './useAnswer.ts'
import { WhyItFailed } from './whyItFailed.tsx'

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
  const gone = answer.gone?.transaction ?? last
  if (gone === undefined) return <LookedFor place={answer} hash={hash} />
  return (
    <>
      <p class="banner">
        {answer.dropped === null ? (
          'A revert took this transaction away. This is what it was.'
        ) : (
          <DroppedWords place={answer} />
        )}
      </p>
      <Details transaction={gone} isGone={true} />
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
        <CopyAsMenu call={() => copiedCall(transaction)} />
        <RawLink />
      </p>
      <TransactionFacts transaction={transaction} />
      {isExecuted && !isGone ? (
        <Executed transaction={transaction} />
      ) : (
        <>
          <LifeLine transaction={transaction} />
          <CallTree transaction={transaction} />
        </>
      )}
      <RawAnswer hash={hash} isSealed={state === 'sealed'} />
    </>
  )
}

/** The transaction as a program may send it again; what a page does not have is asked for. */
async function copiedCall(transaction: TransactionDetails): Promise<CopiedCall> {
  const {
    hash,
    from,
    to,
    value,
    call: { decoded },
    input,
  } = transaction
  const { function: signature = null, arguments: list = null } = decoded ?? {}
  const isWhole = input.size === input.shown.length / 2 - 1
  return {
    from,
    to,
    value: BigInt(value),
    data: isWhole ? input.shown : (await call('input', { hash })).data,
    ...(signature !== null && list !== null
      ? { functionSignature: signature, args: castArguments(list) }
      : {}),
  }
}

/** All that only executing it again tells, too: why it failed, calls, changes. */
function Executed({ transaction }: { readonly transaction: TransactionDetails }) {
  const { hash, outcome, call } = transaction
  // The seal changes nothing of it, so that what was opened stays open.
  const { answer, error } = useAnswer('trace', { hash }, 'undone')
  return (
    <>
      {outcome?.success === false && (
        <WhyItFailed trace={answer} error={error} isKnown={call.decoded?.contract != null} />
      )}
      <LifeLine transaction={transaction} />
      <CallTree
        transaction={transaction}
        trace={answer}
        note={answer === undefined ? (error ?? 'Executing it again…') : undefined}
      />
      {answer !== undefined && (
        <>
          <Printed trace={answer} />
          <StateChanges trace={answer} />
        </>
      )}
    </>
  )
}

function Printed({
  trace: { console: lines, omittedConsole },
}: {
  readonly trace: Answer<'trace'>
}) {
  if (lines.length === 0) return null
  return (
    <Panel title="console.log">
      <pre class="wrapped">
        {lines.map((line, index) => (
          <Untrusted key={index} within="div" text={line} />
        ))}
      </pre>
      {omittedConsole > 0 && <p class="pad note">{`and ${plural(omittedConsole, 'line')} more`}</p>}
    </Panel>
  )
}
