import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { reasonOf } from '../../primitives/errors.ts'
import { visible } from '../../primitives/visible.ts'
import { Logo } from '../kit/elements.tsx'
import type { Link } from '../kit/link.ts'
import { isSingleKey } from '../kit/singleKey.ts'
import { type Act, type Snapshot, useWallet } from './control.ts'
import { History, Lists } from './lists.tsx'
import { PolicySwitch } from './policySwitch.tsx'
import { Requests } from './requestList.tsx'
import { decimal, originText } from './text.ts'

const LINKS: Readonly<Record<Link, { readonly short: string; readonly long?: string }>> = {
  connecting: { short: 'Connecting…' },
  live: { short: 'Live' },
  lost: {
    short: 'Connection lost',
    long: 'The node does not answer. What you see may be out of date; the page continues when the node is back.',
  },
  refused: {
    short: 'Access token missing or wrong',
    long: 'The token in the address of this page does not belong to the running node; each start makes a new one. Open the address that the node printed, including the part after the #.',
  },
}

function ApprovalPage() {
  const { link, token, session, snapshot, call } = useWallet()
  const [said, say] = useState({ text: '' })
  const { short, long } = LINKS[link]
  const { state, history = [] } = snapshot ?? {}
  const active = state?.chains.find(({ chainId }) => chainId === state.activeChain)
  const waiting = state?.pending.length ?? 0

  useChanges(snapshot, (text) => say({ text }))
  useEffect(() => {
    document.body.dataset.link = link
    document.title = waiting === 0 ? 'Devnet wallet' : `(${waiting}) Devnet wallet`
  }, [link, waiting])

  const act: Act = (command, params) => {
    call(command, params).catch((error: unknown) => say({ text: reasonOf(error) }))
  }

  return (
    <>
      <header class="bar">
        <Logo />
        <h1>Devnet wallet</h1>
        {session !== 'default' && <span class="chip">{`Session ${visible(session)}`}</span>}
        {state !== undefined && (
          <span id="active-chain" class="chip">
            {`${visible(active?.chainName ?? 'Network')} · ${decimal(state.activeChain)}`}
          </span>
        )}
        {state?.dashboardUrl && (
          <a class="small" href={state.dashboardUrl} target="devnet-dashboard">
            Dashboard
          </a>
        )}
        <span id="link" class="link" role="status">
          {short}
        </span>
      </header>
      {long !== undefined && (
        <p class="notice" role="alert">
          {long}
        </p>
      )}
      <div id="live" class="unseen" aria-live="assertive">
        {/* Another element each time: the same words are announced again. */}
        {said.text !== '' && <p key={said}>{said.text}</p>}
      </div>
      <main>
        <section class="decide" aria-labelledby="decide-title">
          <div class="head">
            <h2 id="decide-title">Waiting for you</h2>
            {waiting > 0 && <span class="count">{waiting}</span>}
          </div>
          <PolicySwitch policy={state?.policy} act={act} />
          <Requests
            snapshot={snapshot}
            instead={link === 'refused' ? refusal(token) : undefined}
            call={call}
            act={act}
          />
          <p class="keys" aria-hidden="true">
            <span>
              <kbd>A</kbd> approve (<kbd>⇧A</kbd> if it will fail)
            </span>
            <span>
              <kbd>R</kbd> reject
            </span>
            <span>
              <kbd>↑</kbd> <kbd>↓</kbd> other requests
            </span>
          </p>
        </section>
        <Lists snapshot={snapshot} act={act} />
        <section class="past" aria-labelledby="history-title">
          <h2 id="history-title">History</h2>
          <History entries={history} dashboardUrl={state?.dashboardUrl ?? null} />
        </section>
      </main>
    </>
  )
}

function refusal(token: string): readonly [title: string, text: string] {
  return token === ''
    ? ['No token', 'Open this page at the address that the node printed when it started.']
    : [LINKS.refused.short, 'This page shows nothing without its access token.']
}

/** Tells a screen reader which requests have come, and how those that waited have ended. */
function useChanges(snapshot: Snapshot | undefined, say: (text: string) => void): void {
  /** Ids of the requests that waited in the previous snapshot. */
  const waiting = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const { state, history = [] } = snapshot ?? {}
    const pending = state?.pending ?? []
    const before = waiting.current
    waiting.current = new Set(pending.map(({ id }) => id))
    const sentences = [
      ...history
        .filter(({ id }) => before.has(id))
        .map(({ summary, decision }) => `${summary.title}: ${decision}.`),
      ...pending
        .filter(({ id }) => !before.has(id))
        .map(({ summary, origin }) => `New request: ${summary.title}, ${originText(origin)}.`),
    ]
    if (sentences.length > 0) say(visible(sentences.join(' ')))
  }, [snapshot])
}

/** Actions of keys, by their names in lower case. */
const SHORTCUTS: Readonly<Record<string, () => HTMLElement | null | undefined>> = {
  a: () => document.querySelector<HTMLElement>('.card button.approve'),
  r: () => document.querySelector<HTMLElement>('.card button.reject'),
  arrowdown: () => neighbour('nextElementSibling'),
  arrowright: () => neighbour('nextElementSibling'),
  arrowup: () => neighbour('previousElementSibling'),
  arrowleft: () => neighbour('previousElementSibling'),
}

/** A button that asks for more than its letter is only focused by the letter. */
function press(target: HTMLElement | null | undefined, event: KeyboardEvent): void {
  const isDeliberate = event.shiftKey || target?.getAttribute('aria-keyshortcuts') !== 'Shift+A'
  if (isDeliberate) target?.click()
  else target?.focus()
}

/** The button of the request before or after the one that is shown. */
function neighbour(side: 'nextElementSibling' | 'previousElementSibling') {
  const shown = document.querySelector('#queue li:has([aria-current])')
  return shown?.[side]?.querySelector('button')
}

const root = document.getElementById('root')
if (root === null) throw new Error('page.html has no #root')
document.addEventListener('keydown', (event) => {
  const target = SHORTCUTS[event.key.toLowerCase()]
  if (target === undefined || !isSingleKey(event)) return
  press(target(), event)
  event.preventDefault()
})
render(<ApprovalPage />, root)
