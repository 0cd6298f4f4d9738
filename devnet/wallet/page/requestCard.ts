import { createCountdown } from './countdown.ts'
import { el } from './dom.ts'
import { originText, pretty, short } from './text.ts'
import { visible, visibleLines } from './visible.ts'
import type { PendingRequest, Summary, WalletState } from './wire.ts'

export type Verdict = 'approve' | 'reject'

/** Hands a decision to the node. */
export type Decide = (request: PendingRequest, verdict: Verdict, account?: string) => Promise<void>

/** The request that is looked at. */
export interface Card {
  readonly element: HTMLElement
  /** Decides as a click on the button does; nothing while the buttons do not take clicks. */
  press(verdict: Verdict): void
  stop(): void
}

/**
 * ms in which a new card takes no decision: a click or key that was meant for the card before it must not approve what
 * nobody has read. Firefox and Chrome guard their permission prompts in the same way.
 */
const GUARD = 400

const ASKS_FOR_ACCOUNTS = ['eth_requestAccounts', 'wallet_requestPermissions']

export function createCard(request: PendingRequest, state: WalletState, decide: Decide): Card {
  const { title, fields, warnings } = request.summary
  const countdown = createCountdown(request.received, request.deadline)
  const heading = el('h3', { id: 'card-title' }, visible(title))
  const choice = accountChoice(request, state)
  const failure = el('p', { class: 'failure', role: 'alert' })
  failure.hidden = true
  const buttons = {
    reject: verdictButton('reject', 'Reject', 'R'),
    approve: verdictButton('approve', warnings.length > 0 ? 'Approve anyway' : 'Approve', 'A'),
  }

  async function press(verdict: Verdict): Promise<void> {
    if (buttons[verdict].disabled) return
    takeClicks(false)
    buttons[verdict].classList.add('busy')
    failure.hidden = true
    try {
      await decide(request, verdict, verdict === 'approve' ? choice?.value : undefined)
    } catch (error) {
      failure.hidden = false
      failure.textContent = error instanceof Error ? visible(error.message) : String(error)
      takeClicks(true)
    }
    buttons[verdict].classList.remove('busy')
  }

  function takeClicks(are: boolean): void {
    for (const button of Object.values(buttons)) button.disabled = !are
  }

  takeClicks(false)
  const guard = setTimeout(takeClicks, GUARD, true)
  for (const verdict of ['reject', 'approve'] as const) {
    buttons[verdict].addEventListener('click', () => void press(verdict))
  }

  const element = el(
    'article',
    { class: 'card', 'aria-labelledby': 'card-title' },
    el('header', {}, el('code', { class: 'method' }, visible(request.method)), countdown.clock),
    countdown.bar,
    heading,
    el(
      'p',
      { class: 'asker' },
      'asked by ',
      el('bdi', { class: 'origin' }, visible(originText(request.origin))),
    ),
    warnings.length > 0 ? warningList(warnings) : undefined,
    fields.length > 0 ? fieldList(fields) : undefined,
    choice && el('label', { class: 'choice' }, 'With account ', choice),
    el(
      'details',
      { class: 'raw' },
      el('summary', {}, 'The request as it came'),
      el('pre', {}, pretty(request.params)),
    ),
    failure,
    el('footer', {}, buttons.reject, buttons.approve),
  )
  element.tabIndex = -1
  return {
    element,
    press: (verdict) => void press(verdict),
    stop() {
      clearTimeout(guard)
      countdown.stop()
    },
  }
}

function verdictButton(verdict: Verdict, label: string, key: string): HTMLButtonElement {
  const kbd = el('kbd', { 'aria-hidden': 'true' }, key)
  const attributes = { type: 'button', class: verdict, 'aria-keyshortcuts': key }
  return el('button', attributes, el('span', {}, label), kbd)
}

function warningList(warnings: readonly string[]): HTMLElement {
  const items = warnings.map((warning) => el('li', {}, visible(warning)))
  return el('ul', { class: 'warnings', 'aria-label': 'Warnings' }, ...items)
}

function fieldList(fields: Summary['fields']): HTMLElement {
  const list = el('dl', { class: 'fields' })
  for (const { label, value } of fields) {
    // Isolated, so that letters written from right to left move nothing but themselves.
    list.append(el('dt', {}, visible(label)), el('dd', {}, el('bdi', {}, visibleLines(value))))
  }
  return list
}

function accountChoice(
  { method }: PendingRequest,
  { accounts }: WalletState,
): HTMLSelectElement | undefined {
  if (!ASKS_FOR_ACCOUNTS.includes(method) || accounts.length < 2) return undefined
  const options = accounts.map((account) => el('option', { value: account }, short(account)))
  return el('select', { name: 'account' }, ...options)
}
