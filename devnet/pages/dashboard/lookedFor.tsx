import type { ComponentChildren } from 'preact'
import type { NotFound } from '../../dashboard/apiTypes/transactionTypes.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count } from '../kit/shownValue.ts'
import { Empty, State } from './parts.tsx'

interface MissingProps {
  readonly title: string
  readonly children?: ComponentChildren
}

/** Places where the node has looked in vain; it is asked again with each change of the chain. */
export function LookedFor({ place, hash }: { readonly place: NotFound; readonly hash?: string }) {
  const { dropped, waiting, pending, oldest, latest } = place
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
  return (
    <Missing title="Not found.">
      <p>
        {`Looked in the mempool (${count(waiting)} waiting), the pending block #${pending} and the `}
        {`blocks ${count(oldest)} to ${count(latest)}.`}
      </p>
      <p>It appears here as soon as the node knows it.</p>
    </Missing>
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
