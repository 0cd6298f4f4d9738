import { byId, el, syncChildren } from './dom.ts'
import { duration, originText, pretty, short, timeOfDay } from './text.ts'
import { visible } from './visible.ts'
import type { HistoryEntry } from './wire.ts'

/** Shows what was asked and how it ended, the newest first. */
export function showHistory(entries: readonly HistoryEntry[]): void {
  syncChildren(byId('history'), entries.toReversed(), ({ id }) => id, makeEntry)
}

function makeEntry(entry: HistoryEntry): HTMLElement {
  const { answer, decided, decidedBy, decision, method, origin, params, received } = entry
  const summary = el(
    'summary',
    {},
    el('time', {}, timeOfDay(received)),
    el('span', { class: `verdict ${decision}` }, decision),
    el('code', { class: 'method' }, visible(method)),
    el('span', { class: 'who' }, visible(originText(origin))),
    el('span', { class: 'outcome' }, outcome(answer)),
  )
  const how = `Decided by ${decider(decidedBy)} after ${duration(decided - received)}.`
  return el(
    'li',
    {},
    el(
      'details',
      {},
      summary,
      el('p', {}, how),
      el('h3', {}, 'Request'),
      el('pre', {}, pretty(params)),
      el('h3', {}, 'Answer'),
      el('pre', {}, pretty(answer)),
    ),
  )
}

function outcome(answer: HistoryEntry['answer']): string {
  if ('error' in answer) return visible(`${answer.error.code} ${answer.error.message}`)
  const { result } = answer
  if (typeof result === 'string') return visible(short(result))
  if (Array.isArray(result) && result.every((item) => typeof item === 'string')) {
    return visible(result.map(short).join(', '))
  }
  return visible(JSON.stringify(result) ?? '').slice(0, 60)
}

function decider(by: HistoryEntry['decidedBy']): string {
  switch (by) {
    case 'page':
      return 'this page'
    case 'control':
      return 'the control API'
    case 'deadline':
      return 'its deadline'
    case 'client':
      return 'the dApp, which gave up'
    default:
      return 'the policy'
  }
}
