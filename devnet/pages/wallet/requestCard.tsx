import { useEffect, useRef, useState } from 'preact/hooks'
import { visible, visibleLines } from '../../primitives/visible.ts'
import type { DecodedArgument, DecodedCall } from '../../rpc/naming/types.ts'
import type { PendingRequest } from '../../wallet/types.ts'
import { Key, Untrusted } from '../kit/elements.tsx'
import { sentenceOf } from '../kit/link.ts'
import type { Control, Snapshot } from './control.ts'
import { accountName } from './lists.tsx'
import { minutes, originText, pretty } from './text.ts'

type Decision = 'approve' | 'reject'

/**
 * ms for which a new card ignores decisions: a click or key press meant for the previous card must
 * not approve an unread request. Firefox and Chrome guard their permission prompts in the same way.
 */
const GUARD = 400

interface CardProps {
  readonly request: PendingRequest
  readonly snapshot: Snapshot
  readonly call: Control['call']
}

/** A request that waits; with another one, or another summary, it is another card. */
export function Card({ request, snapshot, call }: CardProps) {
  const { id, summary } = request
  const { fields, title, warnings } = summary
  // As of when the card came, so that no choice changes under the pointer.
  const [choices] = useState(() => choicesOf(request, snapshot))
  const [raw] = useState(() => pretty(request.params))
  const [phase, setPhase] = useState<'guarded' | 'open' | 'decided' | Decision>('guarded')
  const [failure, setFailure] = useState<string | undefined>(undefined)
  const card = useRef<HTMLElement>(null)
  const chosen = useRef<HTMLSelectElement>(null)
  useEffect(() => {
    const guard = setTimeout(setPhase, GUARD, 'open')
    return () => clearTimeout(guard)
  }, [])
  useEffect(() => watchScrolling(card.current), [])

  async function press(decision: Decision): Promise<void> {
    setPhase(decision)
    setFailure(undefined)
    try {
      if (decision === 'reject') await call('control_reject', { id })
      else await call('control_approve', { id, account: chosen.current?.value })
      setPhase('decided')
    } catch (error) {
      setFailure(sentenceOf(error))
      setPhase('open')
    }
  }

  const button = (decision: Decision, label: string, key: string) => (
    <button
      type="button"
      class={`button ${KINDS[decision]}${phase === decision ? ' busy' : ''}`}
      aria-keyshortcuts={key}
      disabled={phase !== 'open'}
      onClick={() => press(decision)}
    >
      <span>{label}</span>
      <Key name={key} />
    </button>
  )
  return (
    <article class="card" ref={card} tabIndex={-1} aria-labelledby="card-title">
      <Head request={request} />
      <h3 id="card-title">{visible(title)}</h3>
      <p class="asker">
        asked by <Untrusted class="origin" text={originText(request.origin)} />
      </p>
      {warnings.length > 0 && (
        <ul class="warnings" aria-label="Warnings">
          {warnings.map((warning) => (
            <li key={warning}>{visible(warning)}</li>
          ))}
        </ul>
      )}
      {fields.length > 0 && (
        <dl class="fields">
          {fields.map(({ label, value, call: decoded }) => (
            <>
              <dt>{visible(label)}</dt>
              {decoded !== undefined ? (
                <Call call={decoded} />
              ) : (
                <dd>
                  {choices.length > 0 && label === 'Account' ? (
                    <select ref={chosen} name="account" aria-label="Account">
                      {choices.map(([account, name]) => (
                        <option key={account} value={account}>
                          {name}
                        </option>
                      ))}
                    </select>
                  ) : (
                    <Lines text={value} />
                  )}
                </dd>
              )}
            </>
          ))}
        </dl>
      )}
      <details class="raw">
        <summary>Raw request</summary>
        <pre>{raw}</pre>
      </details>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {visible(failure)}
        </p>
      )}
      <footer>
        {button('reject', 'Reject', 'R')}
        {button('approve', warnings.length > 0 ? 'Approve anyway' : 'Approve', 'A')}
      </footer>
    </article>
  )
}

const KINDS: Record<Decision, string> = { approve: 'approve primary', reject: 'reject' }

const ASKS_FOR_ACCOUNTS = ['eth_requestAccounts', 'wallet_requestPermissions']

/** The accounts that a request leaves the choice of, each with its name; none if it leaves none. */
function choicesOf({ method }: PendingRequest, { state, accounts }: Snapshot) {
  if (!ASKS_FOR_ACCOUNTS.includes(method) || state.accounts.length < 2) return []
  return state.accounts.map((account) => [account, accountName(account, accounts)] as const)
}

/** Lets the keyboard reach those elements of a card that scroll. Returns what ends that. */
function watchScrolling(card: HTMLElement | null): () => void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollHeight > target.clientHeight) target.setAttribute('tabindex', '0')
      else target.removeAttribute('tabindex')
    }
  })
  for (const element of card?.querySelectorAll('dd, pre') ?? []) observer.observe(element)
  return () => observer.disconnect()
}

/** ms between two looks at the clock. */
const STEP = 200
/** Remaining times below this many ms are highlighted. */
const SHORT = 10_000

/** The method, and the time until the deadline, in digits and as a bar that is full at first. */
function Head({ request: { method, received, deadline } }: Pick<CardProps, 'request'>) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (deadline === null) return
    const timer = setInterval(() => setNow(Date.now()), STEP)
    return () => clearInterval(timer)
  }, [])
  const left = (deadline ?? received) - now
  const share = Math.min(1, Math.max(0, left / Math.max(1, (deadline ?? received) - received)))
  const short = deadline !== null && left < SHORT ? ' short' : ''
  const when = deadline === null ? undefined : new Date(deadline).toLocaleTimeString()
  return (
    <>
      <header>
        <code class="method">{visible(method)}</code>
        <span class={`clock${short}`} title={when && `Rejected automatically at ${when}`}>
          {deadline === null ? 'no deadline' : minutes(left)}
        </span>
      </header>
      {deadline !== null && (
        <div class={`time-left${short}`} style={{ '--left': share.toFixed(3) }} />
      )}
    </>
  )
}

function Lines({ text }: { readonly text: string }) {
  return <bdi>{visibleLines(text)}</bdi>
}

function Call({ call }: { readonly call: DecodedCall }) {
  const { contract, isProxied, function: signature, arguments: list } = call
  const name = signature === null ? `new ${contract}` : signature.replace(/\(.*$/s, '')
  const where = contract === null || signature === null ? '' : `${contract}.`
  return (
    <dd class="call">
      <strong>
        <Untrusted class="contract" text={where} />
        <Lines text={name} />
      </strong>
      {isProxied && <span class="note">behind a proxy</span>}
      {list === null && <p class="note">The data does not fit its parameters.</p>}
      {list !== null && list.length > 0 && <Arguments list={list} />}
    </dd>
  )
}

interface ArgumentsProps {
  readonly list: readonly DecodedArgument[]
  /** True if its type tells those of the elements. */
  readonly isArray?: boolean
  readonly omitted?: number | undefined
}

function Arguments({ list, isArray = false, omitted }: ArgumentsProps) {
  return (
    <ul class="arguments">
      {list.map(({ name, type, value, omitted: more }, index) => (
        <li key={index}>
          <span class="parameter">
            <Untrusted text={name || `[${index}]`} />
            {!isArray && (
              <>
                {' '}
                <span class="type">{visible(shortType(type))}</span>
              </>
            )}
          </span>
          {typeof value === 'string' ? (
            <Lines text={value} />
          ) : (
            <Arguments list={value} isArray={type.endsWith(']')} omitted={more} />
          )}
        </li>
      ))}
      {omitted !== undefined && <li class="note">{`… and ${omitted} more`}</li>}
    </ul>
  )
}

/** A type without the components of its tuples, which are listed below it. */
function shortType(type: string): string {
  return type.replace(/^\(.*\)/s, 'tuple')
}
