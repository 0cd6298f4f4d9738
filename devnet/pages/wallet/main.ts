import { visible } from '../../primitives/visible.ts'
import type { HistoryEntry, PendingRequest } from '../../wallet/types.ts'
import { type Control, type Link, openControl, type Snapshot } from './controlClient.ts'
import { byId, showText } from './dom.ts'
import { clearLists, showHistory, showLists } from './lists.ts'
import { createPolicySwitch } from './policySwitch.ts'
import type { Decide } from './requestCard.ts'
import { createQueue, type Queue } from './requestList.ts'
import { decimal, originText } from './text.ts'

const LINKS: Record<Link, { readonly short: string; readonly long?: string }> = {
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

function showLink(link: Link): void {
  const { short, long } = LINKS[link]
  document.body.dataset.link = link
  showText(byId('link'), short)
  showText(byId('notice'), long)
}

/** Makes a screen reader announce a text, even if it is the same as the last one. */
function say(text: string): void {
  const line = document.createElement('p')
  line.textContent = text
  byId('live').replaceChildren(line)
}

/** Where the page keeps its fragment, so that a reload of the tab still has the token. */
const FRAGMENT = 'fragment'

/**
 * The fields of the URL's fragment. They leave the address bar and the history, where others could
 * see the token; the tab keeps them.
 */
function takeFragment(): URLSearchParams {
  const given = location.hash.slice(1)
  if (given !== '') {
    sessionStorage.setItem(FRAGMENT, given)
    history.replaceState(null, '', location.pathname)
  }
  const kept = sessionStorage.getItem(FRAGMENT) ?? ''
  return new URLSearchParams(kept.replace(/^(?!token=)/, 'token='))
}

function main(): void {
  let control: Control | undefined
  /** Waiting requests in the previous snapshot, by id. */
  let waiting = new Map<string, PendingRequest>()

  const decide: Decide = async ({ id }, choice, account) => {
    await control?.call(`control_${choice}`, account === undefined ? { id } : { id, account })
  }
  const queue = createQueue(decide)
  const policySwitch = createPolicySwitch((decision) => {
    act('control_policy', { default: decision })
  })

  function onSnapshot(snapshot: Snapshot): void {
    const { state, history } = snapshot
    const { pending } = state
    queue.show(snapshot)
    policySwitch.show(state.policy)
    showLists(snapshot, {
      disconnect: (origin) => act('control_disconnect', { origin }),
      useAccount: (account) => act('control_switchAccount', { account }),
      useChain: (chainId) => act('control_switchChain', { chainId }),
    })
    showHistory(history)
    const active = state.chains.find(({ chainId }) => chainId === state.activeChain)
    showText(
      byId('active-chain'),
      `${visible(active?.chainName ?? 'Network')} · ${decimal(state.activeChain)}`,
    )
    document.title = pending.length === 0 ? 'Devnet wallet' : `(${pending.length}) Devnet wallet`
    announceChanges(pending, history)
  }

  function announceChanges(
    pending: readonly PendingRequest[],
    history: readonly HistoryEntry[],
  ): void {
    const ended = history.filter(({ id }) => waiting.has(id))
    const arrived = pending.filter(({ id }) => !waiting.has(id))
    waiting = new Map(pending.map((request) => [request.id, request]))
    const sentences = [
      ...ended.map(({ summary, decision }) => `${summary.title}: ${decision}.`),
      ...arrived.map(
        ({ summary, origin }) => `New request: ${summary.title}, ${originText(origin)}.`,
      ),
    ]
    if (sentences.length > 0) say(visible(sentences.join(' ')))
  }

  function act(method: string, params: Readonly<Record<string, unknown>>): void {
    control?.call(method, params).catch((error: unknown) => say(String(error)))
  }

  /** Connects with the token in the URL's fragment. Runs again when the fragment changes. */
  function start(): void {
    control?.close()
    control = undefined
    const fragment = takeFragment()
    const token = fragment.get('token') ?? ''
    const session = fragment.get('session') ?? 'default'
    showText(byId('session'), session === 'default' ? undefined : `Session ${visible(session)}`)
    if (token === '') {
      showLink('refused')
      hide('No token', 'Open this page at the address that the node printed when it started.')
      return
    }
    showLink('connecting')
    control = openControl(token, session, onSnapshot, onLink)
  }

  function onLink(link: Link): void {
    showLink(link)
    if (link === 'refused') {
      hide(LINKS.refused.short, 'This page shows nothing without its access token.')
    }
  }

  /** Hides all that the token gives access to. */
  function hide(title: string, text: string): void {
    queue.clear(title, text)
    policySwitch.disable()
    clearLists()
    showText(byId('active-chain'), undefined)
    document.title = 'Devnet wallet'
  }

  listenToKeys(queue)
  window.addEventListener('hashchange', start)
  start()
}

/** Actions by key, in lower case. */
const SHORTCUTS = new Map<string, (queue: Queue) => void>([
  ['a', (queue) => queue.press('approve')],
  ['r', (queue) => queue.press('reject')],
  ['arrowdown', (queue) => queue.move(1)],
  ['arrowright', (queue) => queue.move(1)],
  ['arrowup', (queue) => queue.move(-1)],
  ['arrowleft', (queue) => queue.move(-1)],
])

function listenToKeys(queue: Queue): void {
  document.addEventListener('keydown', (event) => {
    // A key that is held down must not decide several requests.
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target instanceof Element && event.target.closest('select, input, textarea')) return
    const shortcut = SHORTCUTS.get(event.key.toLowerCase())
    if (shortcut === undefined) return
    shortcut(queue)
    event.preventDefault()
  })
}

main()
