import type { ComponentChildren } from 'preact'
import type {
  NotFound,
  UpstreamTransactionAnswer,
} from '../../dashboard/apiTypes/transactionTypes.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, timeOfDay } from '../kit/shownValue.ts'
import { Call } from './decoded.tsx'
import { Address, Copy, Empty, Ether, Panel, State, TxHash } from './parts.tsx'
import { links } from './router.ts'
import type { Answer, Params } from './store.ts'
import { useAnswer } from './useAnswer.ts'

interface MissingProps {
  readonly title: string
  readonly children?: ComponentChildren
}

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
          <p>
            <Untrusted text={dropped} />
          </p>
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

/** Stands in place of something that is not there. */
export function Missing({ title, children }: MissingProps) {
  return (
    <div class="panel">
      <Empty title={title}>{children}</Empty>
    </div>
  )
}

interface UpstreamTransactionProps {
  readonly transaction: Extract<UpstreamTransactionAnswer, { found: true }>
}

/** A transaction up to the fork block: what its upstream tells. */
function UpstreamTransaction({ transaction }: UpstreamTransactionProps) {
  const { hash, blockNumber, from, to, value, success, call, input, raw } = transaction
  return (
    <>
      <div class="title">
        <h1>Transaction</h1>
        <State state="sealed" reverted={success === false} />
        <span class="badge">from the upstream</span>
      </div>
      <p class="whole">
        <code class="wrap">{hash}</code> <Copy text={hash} what="hash" />
      </p>
      <Panel title="Details">
        <dl class="facts">
          <dt>Block</dt>
          <dd>
            <a href={links.block(blockNumber)}>{`#${blockNumber}`}</a>
          </dd>
          <dt>From</dt>
          <dd>
            <Address address={from} />
          </dd>
          <dt>To</dt>
          <dd>{to === null ? 'a new contract' : <Address address={to} />}</dd>
          <dt>Value</dt>
          <dd>
            <Ether wei={BigInt(value)} />
          </dd>
        </dl>
      </Panel>
      {input.size > 0 && (
        <Panel title="Call">
          <div class="pad">
            <strong>
              <Untrusted text={call.text ?? ''} />
            </strong>
            <Call call={call} input={input} />
          </div>
        </Panel>
      )}
      <details class="panel raw" open>
        <summary class="pad">Raw</summary>
        <pre>{JSON.stringify(raw, null, 2)}</pre>
      </details>
    </>
  )
}
