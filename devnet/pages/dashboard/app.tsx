import { computed, effect } from '@preact/signals'
import { type ComponentChild, render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Untrusted } from '../kit/elements.tsx'
import { count, timeOfDay } from '../kit/shownValue.ts'
import { AccountsView, AddressView } from './accountsView.tsx'
import { BlocksView, BlockView } from './blocksView.tsx'
import { ContractsView } from './contractsView.tsx'
import { ControlPanel } from './controlPanel.tsx'
import { GasView } from './gasView.tsx'
import { Icon } from './icons.tsx'
import { listenToKeys } from './keyBindings.ts'
import { LogView } from './logView.tsx'
import { MempoolView } from './mempoolView.tsx'
import { NowView } from './nowView.tsx'
import { Missing } from './parts.tsx'
import { links, listenToLinks, type Route, route } from './router.ts'
import { applyTheme, KeyHelp, Nav, NotAdmitted, TopBar } from './shell.tsx'
import { failure, isTimeFrozen, link, listenToTab, said, start, state, status } from './store.ts'
import { TransactionsView } from './transactionsView.tsx'
import { TransactionView } from './transactionView.tsx'

function App() {
  const shown = route.value
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [shown])
  return (
    <>
      <a class="skip" href="#main">
        To the view
      </a>
      <TopBar />
      <Said />
      <FailedCommand />
      {link.value === 'refused' ? (
        <main id="main">
          <NotAdmitted />
        </main>
      ) : (
        <div class="shell">
          <Nav route={shown} />
          <main id="main" ref={main} tabIndex={-1}>
            {link.value === 'lost' && <LostBanner />}
            {isTimeFrozen.value && link.value !== 'lost' && <FrozenBanner />}
            {isAdmitted.value && <View route={shown} />}
          </main>
          <ControlPanel />
        </div>
      )}
      <KeyHelp />
    </>
  )
}

function View({ route: shown }: { readonly route: Route }): ComponentChild {
  switch (shown.view) {
    case 'now':
      return <NowView />
    case 'txs':
      return <TransactionsView />
    case 'tx':
      return <TransactionView key={shown.id} hash={shown.id} />
    case 'blocks':
      return <BlocksView />
    case 'block':
      return <BlockView key={shown.id} id={shown.id} />
    case 'mempool':
      return <MempoolView />
    case 'accounts':
      return <AccountsView />
    case 'address':
      return <AddressView key={shown.id} address={shown.id} />
    case 'contracts':
      return <ContractsView />
    case 'gas':
      return <GasView />
    case 'log':
      return <LogView />
    case 'unknown':
      return (
        <Missing title="There is no such view.">
          <Untrusted text={shown.path} />
          <p>
            <a class="button" href={links.view('now')}>
              To the dashboard
            </a>
          </p>
        </Missing>
      )
  }
}

/** Title of the tab: the node, and its head. */
function titleOf(): string {
  const latest = status.value?.latest.number
  return latest === undefined ? 'Devnet' : `#${count(latest)} · Devnet :${location.port}`
}

const isAdmitted = computed(() => state.value !== undefined)

function Said() {
  return (
    <div class="unseen" aria-live="polite">
      {said.value}
    </div>
  )
}

/** Always in view, whatever is open and however far the page is scrolled. */
function FailedCommand() {
  const sentence = failure.value
  return (
    <div class="failure">
      {sentence !== undefined && (
        <p class="alert" role="alert">
          <Untrusted text={sentence} />
          <button
            type="button"
            class="tool"
            aria-label="Close"
            onClick={() => {
              failure.value = undefined
            }}
          >
            <Icon name="close" />
          </button>
        </p>
      )}
    </div>
  )
}

function LostBanner() {
  return (
    <p class="banner">
      The node does not answer. This page is trying again each second; it shows what was there last.
    </p>
  )
}

function FrozenBanner() {
  return (
    <p class="banner">
      <span>{`Time stands still at ${timeOfDay(status.value?.time ?? 0)}.`}</span>
      <span>
        <kbd>t</kbd> ticks, <kbd>s</kbd> seals, <kbd>f</kbd> resumes.
      </span>
    </p>
  )
}

const root = document.getElementById('root')
if (root === null) throw new Error('page.html has no #root')
applyTheme()
listenToLinks()
listenToKeys()
listenToTab()
start()
effect(() => {
  document.title = titleOf()
})
effect(() => {
  document.body.dataset.link = link.value
})
render(<App />, root)
