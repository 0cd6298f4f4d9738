import { byId, el, showText, syncChildren } from './dom.ts'
import { type Card, createCard, type Decide, type Verdict } from './requestCard.ts'
import { originText } from './text.ts'
import { visible } from './visible.ts'
import type { PendingRequest, WalletState } from './wire.ts'

/** The requests that wait, and the one that is looked at. */
export interface Queue {
  show(state: WalletState): void
  /** Looks at the next request, or the one before. */
  move(step: 1 | -1): void
  press(verdict: Verdict): void
  /** Shows no request, but why there is none. */
  clear(title: string, text: string): void
}

export function createQueue(decide: Decide): Queue {
  const place = byId('card')
  const list = byId('queue')
  const count = byId('waiting')
  let pending: readonly PendingRequest[] = []
  let state: WalletState | undefined
  let card: Card | undefined
  let shownId: string | undefined

  /** The card stays while its request waits: one that moved away under a finger would be the wrong one. */
  function look(request: PendingRequest | undefined): void {
    if (request !== undefined && request.id === shownId) return
    const hadFocus = place.contains(document.activeElement)
    card?.stop()
    card = undefined
    shownId = request?.id
    if (request !== undefined && state !== undefined) {
      card = createCard(request, state, decide)
      place.replaceChildren(card.element)
      if (hadFocus || document.activeElement === document.body) card.element.focus()
    }
    markShown()
  }

  function markShown(): void {
    for (const item of list.children) {
      const button = item.querySelector('button')
      const isShown = item.getAttribute('data-key') === shownId
      if (isShown) button?.setAttribute('aria-current', 'true')
      else button?.removeAttribute('aria-current')
    }
  }

  function makeItem(request: PendingRequest): HTMLElement {
    const button = el(
      'button',
      { type: 'button' },
      el('span', { class: 'what' }, visible(request.summary.title)),
      el('span', { class: 'who' }, visible(originText(request.origin))),
    )
    button.addEventListener('click', () => look(request))
    return el('li', {}, button)
  }

  function showEmpty(title: string, text: string): void {
    const hadFocus = place.contains(document.activeElement)
    look(undefined)
    const mark = el('div', { class: 'mark', 'aria-hidden': 'true' })
    const empty = el('div', { class: 'empty' }, mark, el('h3', {}, title), el('p', {}, text))
    empty.tabIndex = -1
    place.replaceChildren(empty)
    if (hadFocus) empty.focus()
  }

  return {
    show(fresh) {
      state = fresh
      pending = fresh.pending
      list.hidden = pending.length < 2
      syncChildren(list, pending, ({ id }) => id, makeItem)
      showText(count, pending.length === 0 ? undefined : String(pending.length))
      const shown = pending.find(({ id }) => id === shownId) ?? pending[0]
      if (shown !== undefined) {
        look(shown)
        markShown()
      } else {
        showEmpty(
          'Nothing to decide',
          'A request that the policy of the wallet holds appears here at once.',
        )
      }
    },
    move(step) {
      const at = pending.findIndex(({ id }) => id === shownId)
      look(pending[Math.min(pending.length - 1, Math.max(0, at + step))])
    },
    press: (verdict) => card?.press(verdict),
    clear(title, text) {
      pending = []
      list.hidden = true
      list.replaceChildren()
      showText(count, undefined)
      showEmpty(title, text)
    },
  }
}
