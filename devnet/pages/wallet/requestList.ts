import { visible } from '../../primitives/visible.ts'
import type { PendingRequest, Policy } from '../../wallet/types.ts'
import type { Snapshot } from './controlClient.ts'
import { byId, el, showText, syncChildren } from './dom.ts'
import { type Card, createCard, type Decide, type Decision } from './requestCard.ts'
import { originText } from './text.ts'

function keyOf({ id, summary }: PendingRequest): string {
  return JSON.stringify([id, summary])
}

/** What an empty queue says, by the decision of the policy. */
const EMPTY: Record<Policy['default'], string> = {
  hold: 'They appear here until you decide.',
  approve: 'New requests are approved automatically. Choose “Ask me” to decide them here.',
  reject: 'New requests are rejected automatically. Choose “Ask me” to decide them here.',
}

export interface Queue {
  show(snapshot: Snapshot): void
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
  let snapshot: Snapshot | undefined
  let card: Card | undefined
  let shownId: string | undefined
  /** With the summary: one that a simulation completes is shown, and guarded, as a new card. */
  let shownKey: string | undefined

  /**
   * Shows the card of a request. A card already shown is kept, so that no click hits one that has
   * just been replaced.
   */
  function select(request: PendingRequest | undefined): void {
    if (request !== undefined && keyOf(request) === shownKey) return
    const hadFocus = place.contains(document.activeElement)
    card?.stop()
    card = undefined
    shownId = request?.id
    shownKey = request && keyOf(request)
    if (request !== undefined && snapshot !== undefined) {
      card = createCard(request, snapshot, decide)
      place.replaceChildren(card.element)
      // Without a scroll: the card may be taller than the window, whose top is what is read first.
      if (hadFocus || document.activeElement === document.body) {
        card.element.focus({ preventScroll: true })
      }
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

  function makeItem({ id, origin }: PendingRequest): HTMLElement {
    const button = el(
      'button',
      { type: 'button' },
      el('span', { class: 'what' }),
      el('bdi', { class: 'detail' }),
      el('span', { class: 'who' }, visible(originText(origin))),
    )
    button.addEventListener('click', () => select(pending.find((request) => request.id === id)))
    return el('li', {}, button)
  }

  /** Shows the summaries, which a preview completes while the requests wait. */
  function describeItems(): void {
    for (const [index, { summary }] of pending.entries()) {
      const item = list.children[index]
      for (const [name, text] of [
        ['.what', summary.title],
        ['.detail', summary.detail],
      ] as const) {
        const element = item?.querySelector<HTMLElement>(name)
        if (element) showText(element, text && visible(text))
      }
    }
  }

  function showEmpty(title: string, text: string): void {
    const hadFocus = place.contains(document.activeElement)
    select(undefined)
    const mark = el('div', { class: 'mark', 'aria-hidden': 'true' })
    const empty = el('div', { class: 'empty' }, mark, el('h3', {}, title), el('p', {}, text))
    empty.tabIndex = -1
    place.replaceChildren(empty)
    if (hadFocus) empty.focus({ preventScroll: true })
  }

  return {
    show(fresh) {
      snapshot = fresh
      pending = fresh.state.pending
      list.hidden = pending.length < 2
      syncChildren(list, pending, ({ id }) => id, makeItem)
      describeItems()
      showText(count, pending.length === 0 ? undefined : String(pending.length))
      const shown = pending.find(({ id }) => id === shownId) ?? pending[0]
      if (shown !== undefined) {
        select(shown)
        markShown()
      } else {
        showEmpty('No requests waiting', EMPTY[fresh.state.policy.default])
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
