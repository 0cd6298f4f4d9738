import { useEffect, useRef, useState } from 'preact/hooks'
import { reasonOf } from '../../primitives/errors.ts'
import { visible } from '../../primitives/visible.ts'
import type { PendingRequest } from '../../wallet/types.ts'
import { Key, Untrusted } from '../kit/elements.tsx'
import type { Control, Snapshot } from './control.ts'
import { accountName } from './lists.tsx'
import { minutes, originText, pretty } from './text.ts'
import { Call, Lines, Named } from './values.tsx'

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
  const { costs, fields, title, warnings, willFail } = summary
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
      setFailure(reasonOf(error))
      setPhase('open')
    }
  }

  const kinds = { approve: warnings.length > 0 ? 'caution' : 'primary', reject: '' }
  const button = (decision: Decision, label: string, key: string) => (
    <button
      type="button"
      class={`button ${decision} ${kinds[decision]}${phase === decision ? ' busy' : ''}`}
      aria-keyshortcuts={key}
      disabled={phase !== 'open'}
      onClick={() => press(decision)}
    >
      <span>{label}</span>
      <Key name={key.replace('Shift+', '⇧')} />
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
                  ) : label === 'Message' ? (
                    <Lines text={value} />
                  ) : (
                    <Named text={value} />
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
        {costs !== undefined && (
          <p class="costs">
            {costs.map(({ label, value }) => `${label}: ${visible(value)}`).join(' · ')}
          </p>
        )}
        {button('reject', 'Reject', 'R')}
        {button(
          'approve',
          warnings.length > 0 ? 'Approve anyway' : 'Approve',
          willFail === true ? 'Shift+A' : 'A',
        )}
      </footer>
    </article>
  )
}

const ASKS_FOR_ACCOUNTS = ['eth_requestAccounts', 'wallet_requestPermissions']

/** The accounts that a request leaves the choice of, each with its name; none if it leaves none. */
function choicesOf({ method }: PendingRequest, { state, accounts }: Snapshot) {
  if (!ASKS_FOR_ACCOUNTS.includes(method) || state.accounts.length < 2) return []
  return state.accounts.map((account) => [account, accountName(account, accounts)] as const)
}

/** Makes scrolling elements of a card focusable. Returns a function that ends this. */
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
