import { visible, visibleLines } from '../../primitives/visible.ts'
import type { DecodedArgument, DecodedCall } from '../../rpc/naming/types.ts'
import type { PendingRequest, RequestSummary } from '../../wallet/types.ts'
import type { Snapshot } from './controlClient.ts'
import { el } from './dom.ts'
import { accountName } from './lists.ts'
import { minutes, originText, pretty } from './text.ts'

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
  const scrolling = watchScrolling(element.querySelectorAll<HTMLElement>('dd, pre'))
  return {
    element,
    press: (decision) => void press(decision),
    stop() {
      clearTimeout(guard)
      scrolling.disconnect()
      countdown.stop()
    },
  }
}

/** Lets the keyboard reach the elements that scroll. Call `disconnect` when they are gone. */
function watchScrolling(elements: Iterable<HTMLElement>): ResizeObserver {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollHeight > target.clientHeight) target.setAttribute('tabindex', '0')
      else target.removeAttribute('tabindex')
    }
  })
  for (const element of elements) observer.observe(element)
  return observer
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
  for (const { label, value, call } of fields) {
    const isChoice = accountSelect !== undefined && label === 'Account'
    const shown =
      call === undefined ? el('dd', {}, isChoice ? accountSelect : plain(value)) : callParts(call)
    list.append(el('dt', {}, visible(label)), shown)
  }
  return list
}

/** Untrusted text; in `<bdi>`, so that right-to-left text cannot reorder its surroundings. */
function plain(text: string): HTMLElement {
  return el('bdi', {}, visibleLines(text))
}

/** A call with a line for each argument. */
function callParts({ contract, isProxied, function: signature, arguments: list }: DecodedCall) {
  const name = signature === null ? `new ${contract}` : signature.replace(/\(.*$/s, '')
  const where = contract === null || signature === null ? '' : `${contract}.`
  return el(
    'dd',
    { class: 'call' },
    el('strong', {}, el('bdi', { class: 'contract' }, visible(where)), plain(name)),
    isProxied ? el('span', { class: 'note' }, 'behind a proxy') : undefined,
    list === null ? el('p', { class: 'note' }, 'The data does not fit its parameters.') : undefined,
    list === null || list.length === 0 ? undefined : argumentList(list),
  )
}

/** @param isArray - whether its type tells those of the elements */
function argumentList(
  list: readonly DecodedArgument[],
  isArray = false,
  omitted: number | undefined = undefined,
): HTMLElement {
  const items = list.map((argument, index) => {
    const { name, type, value } = argument
    const label = el('span', { class: 'parameter' }, el('bdi', {}, visible(name || `[${index}]`)))
    if (!isArray) label.append(' ', el('span', { class: 'type' }, visible(shortType(type))))
    const shown =
      typeof value === 'string'
        ? plain(value)
        : argumentList(value, type.endsWith(']'), argument.omitted)
    return el('li', {}, label, shown)
  })
  const more =
    omitted === undefined ? undefined : el('li', { class: 'note' }, `… and ${omitted} more`)
  return el('ul', { class: 'arguments' }, ...items, more)
}

/** A type without the components of its tuples, which are listed below it. */
function shortType(type: string): string {
  return type.replace(/^\(.*\)/s, 'tuple')
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
