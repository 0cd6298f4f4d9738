import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Key, Logo } from '../kit/elements.tsx'
import type { Link } from '../kit/link.ts'
import { dateTime, duration, plural } from '../kit/shownValue.ts'
import { HeaderSearch } from './headerSearch.tsx'
import { Icon, type IconName } from './icons.tsx'
import { areKeysOn, isHelpOpen, isPanelOpen, switchKeys, VIEW_KEYS } from './keyBindings.ts'
import { Switch } from './parts.tsx'
import { BASE, links, type Route, VIEWS, type ViewName } from './router.ts'
import {
  areSealsSaid,
  chainTime,
  link,
  saySeals,
  start,
  state,
  status,
  wasAdmitted,
} from './store.ts'

const LINK_WORDS: Readonly<Record<Link, string>> = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Connection lost',
  refused: 'Not admitted',
}

/** ms by which the chain's time must differ from the wall clock to be shown: more than a freeze. */
const NOTABLE_SHIFT = 60_000

export function TopBar() {
  const current = status.value
  const shift = chainTime.value - Date.now()
  const { fork, hint = null, walletRequests: requests = 0 } = current ?? {}
  return (
    <header class="top">
      <a class="brand" href={links.view('now')}>
        <Logo />
        <span class="word">Devnet</span>
        {state.value !== undefined && <span class="badge">{state.value.chainId}</span>}
      </a>
      {current !== undefined && (
        <div class="heads">
          <a href={links.block(current.latest.number)}>{`#${current.latest.number}`}</a>
          <span class="word">sealed</span>
          <span>·</span>
          <a href={links.block('pending')}>{`#${current.pending.number}`}</a>
          <span class="word">pending</span>
        </div>
      )}
      {current !== undefined && Math.abs(shift) > NOTABLE_SHIFT && (
        <span
          class="badge late shift"
          title={`The chain's clock is ${duration(Math.abs(shift))} ${shift > 0 ? 'ahead of' : 'behind'} this machine's`}
        >
          {`Chain time ${dateTime(chainTime.value)}`}
        </span>
      )}
      {fork !== undefined && (
        <a
          class="badge fork"
          href={links.block(fork.number)}
          title="Up to there, it has the blocks"
        >
          {`Fork of ${fork.origin?.replace(/^.*\//, '') ?? 'a state file'} at #${fork.number}`}
        </a>
      )}
      {hint !== null && (
        <a class="badge late" href={links.view('log')} title={hint}>
          latest lags
        </a>
      )}
      {requests > 0 && (
        <a class="badge late" href={state.value?.walletPage ?? ''} target="devnet-wallet">
          {plural(requests, 'request waits', 'requests wait')}
        </a>
      )}
      <HeaderSearch />
      <span class="link" role="status">
        <span class="word">{LINK_WORDS[link.value]}</span>
      </span>
      <ThemeButton />
      <button
        type="button"
        class="tool panel-toggle"
        aria-label="Control panel"
        aria-expanded={isPanelOpen.value}
        onClick={() => {
          isPanelOpen.value = !isPanelOpen.value
        }}
      >
        <Icon name={isPanelOpen.value ? 'close' : 'panel'} />
      </button>
    </header>
  )
}

const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const THEME = 'devnet-dashboard-theme'
const theme = signal<Theme>(THEMES.find((one) => one === localStorage.getItem(THEME)) ?? 'system')

export function applyTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.value
}

const THEME_ICONS: Readonly<Record<Theme, IconName>> = {
  system: 'system',
  light: 'light',
  dark: 'theme',
}

function ThemeButton() {
  const own = theme.value
  return (
    <button
      type="button"
      class="tool"
      aria-label={`Theme: ${own}`}
      title={`Theme: ${own}`}
      onClick={() => {
        theme.value = THEMES[(THEMES.indexOf(own) + 1) % THEMES.length] ?? 'system'
        localStorage.setItem(THEME, theme.value)
        applyTheme()
      }}
    >
      <Icon name={THEME_ICONS[own]} />
    </button>
  )
}

const VIEW_WORDS: Readonly<Record<ViewName, string>> = {
  now: 'Now',
  txs: 'Transactions',
  blocks: 'Blocks',
  mempool: 'Mempool',
  accounts: 'Accounts',
  contracts: 'Contracts',
  gas: 'Gas',
  log: 'Log',
}

/** The list that a view of one thing belongs to. */
function listOf({ view }: Route): ViewName | undefined {
  if (view === 'tx') return 'txs'
  if (view === 'block') return 'blocks'
  if (view === 'address') return 'accounts'
  return view === 'unknown' ? undefined : view
}

export function Nav({ route }: { readonly route: Route }) {
  const current = listOf(route)
  return (
    <nav class="nav" aria-label="Views">
      {VIEWS.map((view) => (
        <a
          key={view}
          href={links.view(view)}
          title={VIEW_WORDS[view]}
          data-short={view === 'txs' ? 'Txs' : undefined}
          aria-current={view === current ? 'page' : undefined}
        >
          <Icon name={view} />
          <span class="word">{VIEW_WORDS[view]}</span>
          <Key name={`g ${VIEW_KEYS[view]}`} />
        </a>
      ))}
      <button
        type="button"
        class="help"
        title="Keys"
        onClick={() => {
          isHelpOpen.value = true
        }}
      >
        <Icon name="keys" />
        <span class="word">Keys</span>
        <Key name="?" />
      </button>
    </nav>
  )
}

/** The page without a token, or with one that the node does not take any more. */
export function NotAdmitted() {
  const [text, setText] = useState('')
  const token = /token=([^&\s]+)/.exec(text)?.[1] ?? text.trim()
  return (
    <div class="gate panel">
      <h1>
        {wasAdmitted()
          ? 'The node was restarted with another token: open the address that it printed.'
          : 'Open this page by the address that the node printed.'}
      </h1>
      <p class="note">
        It ends with the token. <code>npx pending-node --open</code> opens it at the start;{' '}
        <code>PENDING_NODE_DASHBOARD_TOKEN</code> sets a token. Or paste the address here:
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (token !== '') start(token)
        }}
      >
        <input
          class="field"
          aria-label="Address or token"
          autoComplete="off"
          spellcheck={false}
          placeholder={`${location.origin}${BASE}/#token=…`}
          value={text}
          onInput={({ currentTarget: { value } }) => setText(value)}
        />
        <button type="submit" class="button primary" disabled={token === ''}>
          Open
        </button>
      </form>
    </div>
  )
}

const KEY_WORDS: readonly (readonly [string, string])[] = [
  ['/', 'search, also Ctrl+K'],
  ['g n', 'Now; g t b m a c l: the other views'],
  ['j k', 'next and previous row, also with arrows'],
  ['Enter', 'opens the row'],
  ['c', 'copies its hash'],
  ['[ ]', 'previous and next transaction of the block, or block'],
  ['{ }', 'previous and next nonce of the sender'],
  ['f', 'freezes or resumes sealing'],
  ['⇧F', 'freezes or resumes both clocks'],
  ['t', 'ticks'],
  ['s', 'seals'],
  ['a', 'advances…'],
  ['⇧S', 'takes a snapshot'],
  ['⇧C', 'shows or hides the control panel on a narrow page'],
  ['?', 'this list'],
]

export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null)
  const isOpen = isHelpOpen.value
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return (
    <dialog
      ref={dialog}
      class="keys"
      aria-label="Keys"
      onClose={() => {
        isHelpOpen.value = false
      }}
    >
      <h1>Keys</h1>
      <dl>
        {KEY_WORDS.map(([key, words]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <Switch isOn={areKeysOn.value} onSwitch={switchKeys} words="Single keys are on" />
      <Switch
        isOn={areSealsSaid.value}
        onSwitch={saySeals}
        words="A screen reader is told of each seal"
      />
      <form method="dialog">
        <button type="submit" class="button">
          Close
        </button>
      </form>
    </dialog>
  )
}
