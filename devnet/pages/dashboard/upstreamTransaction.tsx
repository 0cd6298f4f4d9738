import { Untrusted } from '../kit/elements.tsx'
import { Call } from './decoded.tsx'
import { Address, Copy, Ether, Panel, State } from './parts.tsx'
import { links } from './router.ts'
import type { Answer } from './store.ts'

interface UpstreamTransactionProps {
  readonly transaction: Extract<Answer<'upstreamTransaction'>, { found: true }>
}

/** A transaction up to the fork block: what its upstream tells. */
export function UpstreamTransaction({ transaction }: UpstreamTransactionProps) {
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
            <Untrusted within="strong" text={call.text ?? ''} />
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
