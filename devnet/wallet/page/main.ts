import { type Control, openControl } from './controlClient.ts'
import { byId, showText } from './dom.ts'
import { showHistory } from './historyList.ts'
import { showLists } from './lists.ts'
import { say, showLink } from './notice.ts'
import type { Decide } from './requestCard.ts'
import { createQueue } from './requestList.ts'
import { listenToKeys } from './shortcuts.ts'
import { decimal, originText } from './text.ts'
import { visible } from './visible.ts'
import type { HistoryEntry, PendingRequest, Snapshot } from './wire.ts'

/** Starts the page. */
export function main(): void {
  let control: Control | undefined
  /** Requests that were waiting at the last look. */
  let waiting = new Map<string, PendingRequest>()

  const decide: Decide = async ({ id }, verdict, account) => {
    await control?.call(`control_${verdict}`, account === undefined ? { id } : { id, account })
  }
  const queue = createQueue(decide)

  function onSnapshot({ state, history }: Snapshot): void {
    const { pending } = state
    queue.show(state)
    showLists(state, {
      disconnect: (origin) => act('control_disconnect', { origin }),
      useAccount: (account) => act('control_switchAccount', { account }),
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
    const come = pending.filter(({ id }) => !waiting.has(id))
    waiting = new Map(pending.map((request) => [request.id, request]))
    const sentences = [
      ...ended.map(({ summary, decision }) => `${summary.title}: ${decision}.`),
      ...come.map(({ summary, origin }) => `New request: ${summary.title}, ${originText(origin)}.`),
    ]
    if (sentences.length > 0) say(visible(sentences.join(' ')))
  }

  function act(method: string, params: Readonly<Record<string, unknown>>): void {
    control?.call(method, params).catch((error: unknown) => say(String(error)))
  }

  /** The address may get another token while the page is open: it then starts anew. */
  function start(): void {
    control?.close()
    control = undefined
    const fragment = new URLSearchParams(location.hash.slice(1).replace(/^(?!token=)/, 'token='))
    const token = fragment.get('token') ?? ''
    const session = fragment.get('session') ?? 'default'
    showText(byId('session'), session === 'default' ? undefined : `Session ${visible(session)}`)
    if (token === '') {
      showLink('refused')
      queue.clear('No token', 'Open this page by the address that the node printed at its start.')
      return
    }
    showLink('connecting')
    control = openControl({ token, session, onSnapshot, onLink })
  }

  function onLink(link: Parameters<typeof showLink>[0]): void {
    showLink(link)
    if (link === 'refused') queue.clear('Not admitted', 'This page shows nothing without a token.')
  }

  listenToKeys(queue)
  window.addEventListener('hashchange', start)
  start()
}
