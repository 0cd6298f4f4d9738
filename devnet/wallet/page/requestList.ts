import type { PendingRequest, WalletState } from '../types.ts'
import { byId, el, showText, syncChildren } from './dom.ts'
import { type Card, createCard, type Decide, type Decision } from './requestCard.ts'
import { originText, visible } from './text.ts'

export interface Queue {
  show(state: WalletState): void
  move(step: 1 | -1): void
  press(decision: Decision): void
  /** Shows a message instead of requests. */
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

  /**
   * Shows the card of a request. A card already shown is kept, so that no click hits one that has
   * just been replaced.
   */
  function select(request: PendingRequest | undefined): void {
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
    button.addEventListener('click', () => select(request))
    return el('li', {}, button)
  }

  function showEmpty(title: string, text: string): void {
    const hadFocus = place.contains(document.activeElement)
    select(undefined)
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
        select(shown)
        markShown()
      } else {
        showEmpty('No requests waiting', 'They appear here when the policy is “hold”.')
      }
    },
    move(step) {
      const at = pending.findIndex(({ id }) => id === shownId)
      select(pending[Math.min(pending.length - 1, Math.max(0, at + step))])
    },
    press: (decision) => card?.press(decision),
    clear(title, text) {
      pending = []
      list.hidden = true
      list.replaceChildren()
      showText(count, undefined)
      showEmpty(title, text)
    },
  }
}
