import { useState } from 'preact/hooks'
import { short } from '../../primitives/visible.ts'
import type {
  AccountChange,
  Event,
  Frame,
  NotFound,
  TraceAnswer,
  TransactionDetails,
} from '../api.ts'
import { Confirmed } from './controlPanel.tsx'
import { Arguments, BytesText, Call, CallName, FailureText } from './decoded.tsx'
import { Key } from './icons.tsx'
import { useViewKeys } from './keyBindings.ts'
import { Address, Copy, Empty, Ether, Mark, Panel, State, Untrusted } from './parts.tsx'
import { links, navigate } from './router.ts'
import { count, dateTime, gwei, percent, plural } from './shownValue.ts'
import { nameOf } from './store.ts'
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
  const { answer, error } = useAnswer('transaction', { hash })
  const [last, setLast] = useState<TransactionDetails | undefined>(undefined)
  if (answer?.found === true && answer !== last) setLast(answer)
  if (error !== undefined) return <Missing title={error} />
  if (answer === undefined) return <p class="note">Loading…</p>
  if (answer.found) return <Details transaction={answer} />
  if (last === undefined) return <LookedFor place={answer} hash={hash} />
  return (
    <>
      <p class="banner">
        {answer.dropped === null
          ? 'A revert took this transaction away. This is what it was.'
          : `This transaction was dropped: ${answer.dropped}`}
      </p>
      <Details transaction={last} isGone={true} />
    </>
  )
}

function Missing({
  title,
  children,
}: {
  readonly title: string
  readonly children?: preact.ComponentChildren
}) {
  return (
    <div class="panel">
      <Empty title={title}>{children}</Empty>
    </div>
  )
}

/** Where the node has looked in vain; it is asked again with each change of the chain. */
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

interface DetailsProps {
  readonly transaction: TransactionDetails
  readonly isGone?: boolean
}

function Details({ transaction, isGone = false }: DetailsProps) {
  const { hash, state, outcome, place, inBlock, ofSender, call, input } = transaction
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
          <Step to={inBlock.previous} words="Previous in block" sign="[" />
          <Step to={inBlock.next} words="Next in block" sign="]" />
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
      <div class="pair">
        <Facts transaction={transaction} />
        <Panel title={transaction.to === null ? 'Creation' : 'Call'}>
          <Call call={call} input={input} />
        </Panel>
      </div>
      {outcome !== null && outcome.events.length > 0 && (
        <Panel
          title="Events"
          more={<span class="note">{count(outcome.events.length + outcome.omittedEvents)}</span>}
        >
          <ul class="events">
            {outcome.events.map((event) => (
              <EventRow key={event.index} event={event} />
            ))}
          </ul>
          {outcome.omittedEvents > 0 && (
            <p class="pad note">{`and ${plural(outcome.omittedEvents, 'event')} more`}</p>
          )}
        </Panel>
      )}
      {isExecuted && !isGone && <Trace hash={hash} blockHash={place?.blockHash ?? null} />}
      <Raw transaction={transaction} />
    </>
  )
}

function Step({
  to,
  words,
  sign,
}: {
  readonly to: string | null
  readonly words: string
  readonly sign: string
}) {
  if (to === null) return null
  return (
    <a class="button small" href={links.tx(to)} title={words}>
      <span class="unseen">{words}</span>
      <Key name={sign} />
    </a>
  )
}

/** Accepted, then taken by a tick, then sealed. */
function LifeLine({ transaction }: { readonly transaction: TransactionDetails }) {
  const { state, place, waiting, outcome } = transaction
  const reverted = outcome?.success === false
  return (
    <ol class="life">
      <li class="done">
        <Mark state="queued" />
        <span>
          <strong>Accepted</strong>
          {waiting !== null && <small>{waitingWords(waiting)}</small>}
        </span>
      </li>
      <li class={place === null ? '' : 'done'}>
        <Mark state="preconfirmed" reverted={reverted && state === 'preconfirmed'} />
        <span>
          <strong>
            {place === null ? 'Not executed yet' : `Tick ${place.tick} of #${place.block}`}
          </strong>
          {place !== null && <small>{`pre-confirmed, place ${place.index}`}</small>}
        </span>
      </li>
      <li class={state === 'sealed' ? 'done' : ''}>
        <Mark state="sealed" reverted={reverted && state === 'sealed'} />
        <span>
          <strong>
            {state === 'sealed' && place !== null ? (
              <a href={links.block(place.block)}>{`Sealed in #${place.block}`}</a>
            ) : (
              'Not sealed yet'
            )}
          </strong>
          {state === 'sealed' && place !== null && (
            <small>{dateTime(place.timestamp * 1_000)}</small>
          )}
        </span>
      </li>
    </ol>
  )
}

function waitingWords({ runnable, missing }: NonNullable<TransactionDetails['waiting']>): string {
  if (runnable) return 'waits for the next tick'
  if (missing === null) return 'waits'
  const { from, to } = missing
  return from === to
    ? `waits: nonce ${from} is missing`
    : `waits: nonces ${from} to ${to} are missing`
}

function Facts({ transaction }: { readonly transaction: TransactionDetails }) {
  const { from, to, nonce, value, gasLimit, type, outcome, place, impersonated } = transaction
  const created = outcome?.created ?? null
  return (
    <Panel title="Outcome">
      <dl class="facts">
        {outcome !== null && (
          <>
            <dt>Result</dt>
            <dd>
              {outcome.success ? (
                <span class="badge good">Success</span>
              ) : (
                <span class="badge bad">Reverted</span>
              )}
            </dd>
          </>
        )}
        <dt>From</dt>
        <dd>
          <Address address={from} />
          {impersonated && <span class="badge"> impersonated</span>}
        </dd>
        <dt>{to === null ? 'Creates' : 'To'}</dt>
        <dd>
          {to !== null ? (
            <Address address={to} />
          ) : created === null ? (
            'a contract'
          ) : (
            <Address address={created} />
          )}
        </dd>
        <dt>Value</dt>
        <dd>
          <Ether wei={BigInt(value)} />
        </dd>
        <dt>Nonce</dt>
        <dd class="steps">
          {count(nonce)}
          <NonceStep to={transaction.ofSender.previous} sign="{" words="Previous of this sender" />
          <NonceStep to={transaction.ofSender.next} sign="}" words="Next of this sender" />
        </dd>
        <dt>Gas</dt>
        <dd>
          {outcome === null
            ? `limit ${count(gasLimit)}`
            : `${count(outcome.gasUsed)} of ${count(gasLimit)} (${percent(outcome.gasUsed, gasLimit)})`}
        </dd>
        {outcome !== null && (
          <>
            <dt>Fee</dt>
            <dd>
              <Ether wei={BigInt(outcome.fee)} />
              <span class="note">
                {`, ${gwei(BigInt(outcome.effectiveGasPrice))} a gas (base fee ${gwei(BigInt(outcome.baseFeePerGas))})`}
              </span>
            </dd>
          </>
        )}
        {outcome === null && (
          <>
            <dt>Max fee</dt>
            <dd>{`${gwei(BigInt(transaction.maxFeePerGas))} a gas`}</dd>
          </>
        )}
        {place !== null && (
          <>
            <dt>Block</dt>
            <dd>
              <a href={links.block(place.blockHash === null ? 'pending' : place.block)}>
                {`#${place.block}`}
              </a>
              {`, tick ${place.tick}, place ${place.index}`}
            </dd>
          </>
        )}
        <dt>Type</dt>
        <dd>{type}</dd>
      </dl>
    </Panel>
  )
}

function NonceStep({
  to,
  words,
  sign,
}: {
  readonly to: string | null
  readonly words: string
  readonly sign: string
}) {
  if (to === null) return null
  return (
    <a href={links.tx(to)} title={words}>
      <span class="unseen">{words}</span>
      <Key name={sign} />
    </a>
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
        <span class="note">{index}</span>{' '}
        {signature === null ? (
          <span class="note">Unknown event</span>
        ) : (
          <strong>
            <Untrusted text={signature.replace(/\(.*$/s, '')} />
          </strong>
        )}{' '}
        <span class="note">of</span> <Address address={address} name={contract ?? undefined} />
      </p>
      {list !== null && list.length > 0 && <Arguments list={list} />}
      {list === null && (
        <div class="unknown">
          {problem !== null && (
            <p class="note">
              <Untrusted text={problem} />
            </p>
          )}
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

/** What only executing it again tells: calls, changes, console.log. */
function Trace({
  hash,
  blockHash,
}: {
  readonly hash: `0x${string}`
  readonly blockHash: string | null
}) {
  // Asked again when it is sealed only: what was pre-confirmed does not change.
  return <TraceOf key={blockHash} hash={hash} />
}

function TraceOf({ hash }: { readonly hash: `0x${string}` }) {
  const { answer, error } = useAnswer('trace', { hash }, 'undone')
  if (error !== undefined) {
    return (
      <Panel title="Calls">
        <p class="pad note">
          <Untrusted text={error} />
        </p>
      </Panel>
    )
  }
  if (answer === undefined) return <p class="note pad">Executing it again to see its calls…</p>
  return (
    <>
      {answer.failure !== null && (
        <Panel title="Why it failed">
          <div class="pad">
            <FailureText failure={answer.failure} />
          </div>
        </Panel>
      )}
      {answer.console.length > 0 && (
        <Panel title="console.log">
          <pre class="wrapped">
            {answer.console.map((line, index) => (
              <div key={index}>
                <Untrusted text={line} />
              </div>
            ))}
          </pre>
          {answer.omittedConsole > 0 && (
            <p class="pad note">{`and ${plural(answer.omittedConsole, 'line')} more`}</p>
          )}
        </Panel>
      )}
      <CallTree trace={answer} />
      <Changes trace={answer} />
    </>
  )
}

/** How many calls are shown at first, and how many more with each press. */
const FRAMES = 50

function CallTree({ trace }: { readonly trace: TraceAnswer }) {
  const [shown, setShown] = useState(FRAMES)
  const { frames, omittedFrames } = trace
  return (
    <Panel title="Calls" more={<span class="note">{count(frames.length + omittedFrames)}</span>}>
      <ol class="tree">
        {frames.slice(0, shown).map((frame, index) => (
          <FrameRow key={index} frame={frame} />
        ))}
      </ol>
      {frames.length > shown && (
        <p class="pad">
          <button type="button" class="button small" onClick={() => setShown(shown + 4 * FRAMES)}>
            {`Show ${count(Math.min(4 * FRAMES, frames.length - shown))} more`}
          </button>
        </p>
      )}
      {frames.length <= shown && omittedFrames > 0 && (
        <p class="pad note">{`and ${plural(omittedFrames, 'call')} more`}</p>
      )}
    </Panel>
  )
}

/** Levels that are indented; deeper ones stay at that. */
const MAX_INDENT = 12

function FrameRow({ frame }: { readonly frame: Frame }) {
  const { depth, type, to, value, gasUsed, call, input, output, returns, failure } = frame
  const { decoded } = call
  const hasMore =
    (decoded?.arguments?.length ?? 0) > 0 ||
    (returns?.length ?? 0) > 0 ||
    failure !== null ||
    decoded === null
  const indent = { paddingLeft: `${16 + 18 * Math.min(depth, MAX_INDENT)}px` }
  const head = (
    <>
      <span class="opcode">{type}</span>
      <span class="callee">
        {decoded === null ? (
          to === null ? (
            <span class="note">nothing was created</span>
          ) : (
            <Untrusted text={nameOf(to) ?? short(to)} />
          )
        ) : (
          <CallName call={decoded} />
        )}
        {decoded === null && input.size > 0 && (
          <code class="note"> {input.shown.slice(0, 10)}</code>
        )}
      </span>
      {value !== null && value !== '0' && <Ether wei={BigInt(value)} />}
      {failure !== null && <span class="badge bad">failed</span>}
      <span class="gas note">{`${count(gasUsed)} gas`}</span>
    </>
  )
  if (!hasMore) {
    return (
      <li>
        <div class="frame" style={indent}>
          {head}
        </div>
      </li>
    )
  }
  return (
    <li>
      <details open={depth === 0}>
        <summary class="frame" style={indent}>
          {head}
        </summary>
        <div class="inside" style={indent}>
          {to !== null && (
            <p>
              <span class="note">at</span> <Address address={to} />
            </p>
          )}
          {decoded?.arguments != null && decoded.arguments.length > 0 && (
            <Arguments list={decoded.arguments} />
          )}
          {decoded === null && input.size > 0 && (
            <>
              <p class="note">input</p>
              <BytesText bytes={input} />
            </>
          )}
          {returns !== null && returns.length > 0 && (
            <>
              <p class="note">returns</p>
              <Arguments list={returns} />
            </>
          )}
          {returns === null &&
            failure === null &&
            output.size > 0 &&
            decoded?.function !== null && (
              <>
                <p class="note">output</p>
                <BytesText bytes={output} />
              </>
            )}
          {failure !== null && <FailureText failure={failure} />}
        </div>
      </details>
    </li>
  )
}

function Changes({ trace }: { readonly trace: TraceAnswer }) {
  const { changes, omittedChanges } = trace
  const balances = changes.filter(({ balance }) => balance !== null)
  const storages = changes.filter(
    ({ storage, nonce, code }) => storage.length > 0 || nonce !== null || code !== null,
  )
  const more = omittedChanges > 0 && (
    <p class="pad note">{`and ${plural(omittedChanges, 'account')} more`}</p>
  )
  return (
    <>
      {balances.length > 0 && (
        <Panel title="Balance changes">
          <div class="scroll-x">
            <table>
              <thead>
                <tr>
                  <th>Account</th>
                  <th class="number">Before</th>
                  <th class="number">After</th>
                  <th class="number">Difference</th>
                </tr>
              </thead>
              <tbody>
                {balances.map((change) => (
                  <BalanceRow key={change.address} change={change} />
                ))}
              </tbody>
            </table>
          </div>
          {more}
        </Panel>
      )}
      {storages.length > 0 && (
        <Panel title="State changes">
          <ul class="storages">
            {storages.map((change) => (
              <StorageOf key={change.address} change={change} />
            ))}
          </ul>
          {more}
        </Panel>
      )}
    </>
  )
}

function BalanceRow({ change: { address, balance } }: { readonly change: AccountChange }) {
  const [before, after] = [BigInt(balance?.before ?? 0), BigInt(balance?.after ?? 0)]
  const isMore = after >= before
  return (
    <tr>
      <td>
        <Address address={address} />
      </td>
      <td class="number">
        <Ether wei={before} />
      </td>
      <td class="number">
        <Ether wei={after} />
      </td>
      <td class={isMore ? 'number changed' : 'number less'}>
        {isMore ? '+' : '−'}
        <Ether wei={isMore ? after - before : before - after} />
      </td>
    </tr>
  )
}

function StorageOf({ change }: { readonly change: AccountChange }) {
  const { address, nonce, code, storage, omittedSlots } = change
  return (
    <li>
      <p>
        <Address address={address} />
        {nonce !== null && <span class="note">{` nonce ${nonce.before} → ${nonce.after}`}</span>}
        {code !== null && (
          <span class="note">{` code ${count(code.before)} → ${count(code.after)} bytes`}</span>
        )}
      </p>
      {storage.map(({ slot, before, after }) => (
        <dl key={slot} class="slot">
          <dt>slot</dt>
          <dd>
            <code>{word(slot)}</code>
          </dd>
          <dt>before</dt>
          <dd>
            <code>{word(before)}</code>
          </dd>
          <dt>after</dt>
          <dd>
            <code>{word(after)}</code>
          </dd>
        </dl>
      ))}
      {omittedSlots > 0 && <p class="note">{`and ${plural(omittedSlots, 'slot')} more`}</p>}
    </li>
  )
}

/** A word of storage without leading zeros, with its number if that is a small one. */
function word(hex: string): string {
  const digits = hex.slice(2).replace(/^0+/, '')
  if (digits === '') return '0'
  const isSmall = digits.length <= 16
  return isSmall && digits.length > 1 ? `0x${digits} (${BigInt(hex)})` : `0x${digits}`
}

function Raw({ transaction }: { readonly transaction: TransactionDetails }) {
  const { raw, hash } = transaction
  const url = location.origin
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getTransactionReceipt',
    params: [hash],
  })
  const curl = `curl ${url} -H 'content-type: application/json' -d '${body}'`
  const viem = `const receipt = await publicClient.getTransactionReceipt({ hash: '${hash}' })`
  return (
    <details class="panel raw">
      <summary class="pad">Raw</summary>
      <div class="pad copies">
        <span>Copy as</span>
        <CopyAs name="curl" text={curl} />
        <CopyAs name="viem" text={viem} />
      </div>
      <pre>{JSON.stringify(raw, null, 2)}</pre>
    </details>
  )
}

function CopyAs({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <span>
      {name} <Copy text={text} what={name} />
    </span>
  )
}
