import type { PendingRequest, RequestSummary } from '../types.ts'
import type { Snapshot } from './controlClient.ts'
import { el } from './dom.ts'
import { accountName } from './lists.ts'
import { minutes, originText, pretty, visible, visibleLines } from './text.ts'

export type Decision = 'approve' | 'reject'

export type Decide = (
  request: PendingRequest,
  decision: Decision,
  account?: string,
) => Promise<void>

export interface Card {
  readonly element: HTMLElement
  /** Same as a click on the button; ignored while the buttons are disabled. */
  press(decision: Decision): void
  stop(): void
}

/**
 * ms for which a new card ignores decisions: a click or key press meant for the previous card must
 * not approve an unread request. Firefox and Chrome guard their permission prompts in the same way.
 */
const GUARD = 400

const ASKS_FOR_ACCOUNTS = ['eth_requestAccounts', 'wallet_requestPermissions']

export function createCard(request: PendingRequest, snapshot: Snapshot, decide: Decide): Card {
  const { title, fields, warnings } = request.summary
  const countdown = createCountdown(request.received, request.deadline)
  const heading = el('h3', { id: 'card-title' }, visible(title))
  const accountSelect = accountChoice(request, snapshot)
  const failure = el('p', { class: 'failure', role: 'alert' })
  failure.hidden = true
  const buttons = {
    reject: decisionButton('reject', 'Reject', 'R'),
    approve: decisionButton('approve', warnings.length > 0 ? 'Approve anyway' : 'Approve', 'A'),
  }

  async function press(decision: Decision): Promise<void> {
    if (buttons[decision].disabled) return
    enable(false)
    buttons[decision].classList.add('busy')
    failure.hidden = true
    try {
      await decide(request, decision, decision === 'approve' ? accountSelect?.value : undefined)
    } catch (error) {
      failure.hidden = false
      failure.textContent = error instanceof Error ? visible(error.message) : String(error)
      enable(true)
    }
    buttons[decision].classList.remove('busy')
  }

  function enable(isEnabled: boolean): void {
    for (const button of Object.values(buttons)) button.disabled = !isEnabled
  }

  enable(false)
  const guard = setTimeout(enable, GUARD, true)
  for (const decision of ['reject', 'approve'] as const) {
    buttons[decision].addEventListener('click', () => void press(decision))
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
    fields.length > 0 ? fieldList(fields, accountSelect) : undefined,
    el(
      'details',
      { class: 'raw' },
      el('summary', {}, 'Raw request'),
      el('pre', {}, pretty(request.params)),
    ),
    failure,
    el('footer', {}, buttons.reject, buttons.approve),
  )
  element.tabIndex = -1
  return {
    element,
    press: (decision) => void press(decision),
    stop() {
      clearTimeout(guard)
      countdown.stop()
    },
  }
}

function decisionButton(decision: Decision, label: string, key: string): HTMLButtonElement {
  const kbd = el('kbd', { 'aria-hidden': 'true' }, key)
  const attributes = { type: 'button', class: decision, 'aria-keyshortcuts': key }
  return el('button', attributes, el('span', {}, label), kbd)
}

function warningList(warnings: readonly string[]): HTMLElement {
  const items = warnings.map((warning) => el('li', {}, visible(warning)))
  return el('ul', { class: 'warnings', 'aria-label': 'Warnings' }, ...items)
}

/** @param accountSelect - the choice of an account, shown in place of the field "Account" */
function fieldList(
  fields: RequestSummary['fields'],
  accountSelect: HTMLSelectElement | undefined,
): HTMLElement {
  const list = el('dl', { class: 'fields' })
  for (const { label, value } of fields) {
    // `<bdi>`, so that right-to-left text cannot reorder its surroundings.
    const text = el('bdi', {}, visibleLines(value))
    const isChoice = accountSelect !== undefined && label === 'Account'
    list.append(el('dt', {}, visible(label)), el('dd', {}, isChoice ? accountSelect : text))
  }
  return list
}

function accountChoice(
  { method }: PendingRequest,
  { state: { accounts: choices }, accounts }: Snapshot,
): HTMLSelectElement | undefined {
  if (!ASKS_FOR_ACCOUNTS.includes(method) || choices.length < 2) return undefined
  const options = choices.map((account) =>
    el('option', { value: account }, accountName(account, accounts)),
  )
  return el('select', { name: 'account', 'aria-label': 'Account' }, ...options)
}

const STEP = 200
/** Remaining times below this many ms are highlighted. */
const SHORT = 10_000

/**
 * Shows the remaining time until a deadline, in digits and as a bar.
 *
 * @param received - when the request came, in ms since the epoch; the bar is full then
 * @param deadline - in ms since the epoch; `null` if there is none
 */
function createCountdown(received: number, deadline: number | null) {
  const clock = el('span', { class: 'clock' }, 'no deadline')
  const bar = el('div', { class: 'time-left' })
  bar.hidden = deadline === null
  if (deadline === null) return { clock, bar, stop() {} }
  const end = deadline
  const whole = Math.max(1, end - received)
  clock.title = `Rejected automatically at ${new Date(end).toLocaleTimeString()}`

  function show(): void {
    const left = end - Date.now()
    clock.textContent = minutes(left)
    bar.style.setProperty('--left', Math.min(1, Math.max(0, left / whole)).toFixed(3))
    clock.classList.toggle('short', left < SHORT)
    bar.classList.toggle('short', left < SHORT)
  }

  show()
  const timer = setInterval(show, STEP)
  return { clock, bar, stop: () => clearInterval(timer) }
}
