import type { ComponentChildren } from 'preact'
import type { NotFound } from '../../dashboard/notFound.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, timeOfDay } from '../kit/shownValue.ts'
import { Address, Missing, State, TxHash } from './parts.tsx'
import type { Answer, Params } from './store.ts'
import { UpstreamTransaction } from './upstreamTransaction.tsx'
import { useAnswer } from './useAnswer.ts'

/** Places where the node has looked in vain; it is asked again with each change of the chain. */
export function LookedFor({ place, hash }: { readonly place: NotFound; readonly hash?: string }) {
  const { dropped, waiting, pending, oldest, latest, upstream } = place
  if (dropped !== null) {
    return (
      <>
        <div class="title">
          <h1>Transaction</h1>
          <State state="dropped" />
        </div>
        <Missing title="This transaction was dropped.">
          <Untrusted within="p" text={dropped} />
          <code class="wrap">{hash}</code>
        </Missing>
      </>
    )
  }
  const inVain = (
    <Missing title="Not found.">
      <p>
        {`Looked in the mempool (${count(waiting)} waiting), the pending block #${pending} and the `}
        {`blocks ${count(oldest)} to ${count(latest)}`}
        {upstream === null ? '.' : '; the upstream was asked for what is before.'}
      </p>
      <p>It appears here as soon as the node knows it.</p>
    </Missing>
  )
  // A transaction is known by nothing but its hash.
  if (hash === undefined || typeof upstream !== 'string') return inVain
  return (
    <FromUpstream method="upstreamTransaction" params={{ hash: upstream }} inVain={inVain}>
      {(found) => found.found && <UpstreamTransaction transaction={found} />}
    </FromUpstream>
  )
}

type UpstreamMethod = 'block' | 'upstreamTransaction'

interface FromUpstreamProps<Name extends UpstreamMethod> {
  readonly method: Name
  readonly params: Params<Name>
  /** Stands in its place if the upstream has none up to the fork block. */
  readonly inVain: ComponentChildren
  readonly children: (found: Answer<Name>) => ComponentChildren
}

/** Shows what the upstream of a forked chain has, which is asked once. */
export function FromUpstream<Name extends UpstreamMethod>(props: FromUpstreamProps<Name>) {
  const { answer, error } = useAnswer(props.method, props.params, 'undone')
  if (error !== undefined) {
    return (
      <Missing title="The upstream did not answer. Load this page again to ask anew.">
        <Untrusted text={error} />
      </Missing>
    )
  }
  if (answer === undefined) return <p class="note">Asking the upstream…</p>
  return answer.found ? props.children(answer) : props.inVain
}

/** The reason why a transaction was dropped, when, what replaced it, and which nonce is free. */
export function DroppedWords({ place: { dropped, gone } }: { readonly place: NotFound }) {
  const { time, replacedBy, nextNonce, transaction } = gone ?? {}
  return (
    <span>
      {`This transaction was dropped${time == null ? '' : ` at ${timeOfDay(time)}`}: `}
      <Untrusted text={dropped ?? ''} />
      {replacedBy != null && (
        <>
          {', replaced by '}
          <TxHash hash={replacedBy} />
        </>
      )}
      {nextNonce !== undefined && (
        <>
          {`. It had the nonce ${transaction?.nonce}; the next nonce of `}
          <Address address={transaction?.from ?? ''} />
          {` is ${nextNonce}.`}
        </>
      )}
    </span>
  )
}
