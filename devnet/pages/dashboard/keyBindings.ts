import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { isSingleKey } from '../kit/singleKey.ts'
import { links, navigate, type ViewName } from './router.ts'
import { command, failure, link, said, status } from './store.ts'

export const isHelpOpen = signal(false)
/** True if the control panel is shown where it does not fit beside the view. */
export const isPanelOpen = signal(false)
/** True if single keys do anything (WCAG 2.1.4). */
export const areKeysOn = signal(localStorage.getItem('devnet-dashboard-keys') !== 'off')

export function switchKeys(isOn: boolean): void {
  areKeysOn.value = isOn
  localStorage.setItem('devnet-dashboard-keys', isOn ? 'on' : 'off')
}

/** Views by the key that follows `g`. */
export const VIEW_KEYS: Readonly<Record<ViewName, string>> = {
  now: 'n',
  txs: 't',
  blocks: 'b',
  mempool: 'm',
  accounts: 'a',
  contracts: 'c',
  gas: 'g',
  log: 'l',
}

const VIEW_OF = new Map(
  Object.entries(VIEW_KEYS).map(([view, key]) => [key, view as ViewName] as const),
)

/** Ids of the fields that keys lead to. */
export const SEARCH_FIELD = 'search'
export const ADVANCE_FIELD = 'advance'

export function toggleSealing(): void {
  if (status.peek()?.sealing.running === true) command({ name: 'freeze' }, 'Sealing is frozen.')
  else command({ name: 'resume' }, 'Both clocks run.')
}

export function toggleBoth(): void {
  const isRunning = status.peek()?.ticks.running === true
  if (isRunning) command({ name: 'freeze', ticks: true }, 'Both clocks are frozen.')
  else command({ name: 'resume' }, 'Both clocks run.')
}

export async function tick(): Promise<void> {
  const answer = await command({ name: 'tick' }, '')
  if (answer === undefined) return
  const { number, transactions } = answer.status.pending
  said.value = `Ticked: block ${number} has ${transactions} transactions.`
}

export async function seal(): Promise<void> {
  const answer = await command({ name: 'seal' }, '')
  if (answer !== undefined) said.value = `Sealed block ${answer.status.latest.number}.`
}

export async function takeSnapshot(): Promise<void> {
  const answer = await command({ name: 'snapshot' }, '')
  const id = answer?.snapshots.at(-1)?.id
  if (id !== undefined) said.value = `Took snapshot ${Number(id)}.`
}

function focusField(id: string): void {
  const field = document.getElementById(id)
  field?.focus()
  if (field instanceof HTMLInputElement) field.select()
}

/** Keys that work in every view. */
const GLOBAL: Readonly<Record<string, () => void>> = {
  '/': () => focusField(SEARCH_FIELD),
  '?': () => {
    isHelpOpen.value = true
  },
  C: () => {
    isPanelOpen.value = !isPanelOpen.value
  },
  f: asCommand(toggleSealing),
  F: asCommand(toggleBoth),
  t: asCommand(tick),
  s: asCommand(seal),
  S: asCommand(takeSnapshot),
  a() {
    isPanelOpen.value = true
    // The panel has to be there first.
    requestAnimationFrame(() => focusField(ADVANCE_FIELD))
  },
  j: () => moveRow(1),
  k: () => moveRow(-1),
  ArrowDown: () => moveRow(1),
  ArrowUp: () => moveRow(-1),
  c: copyRow,
}

function asCommand(run: () => void): () => void {
  return () => {
    if (link.peek() === 'live') run()
  }
}

const ofView = new Map<string, () => void>()

/** Keys of the view that is shown; a key without an action does nothing. */
export function useViewKeys(actions: Readonly<Record<string, (() => void) | undefined>>): void {
  useEffect(() => {
    for (const [key, action] of Object.entries(actions)) {
      if (action !== undefined) ofView.set(key, action)
    }
    return () => {
      for (const key of Object.keys(actions)) ofView.delete(key)
    }
  })
}

/**
 * A row of a list is any element with this attribute: the hash that `c` copies. It can have the
 * focus, and then Enter opens its `data-href`.
 */
const ROW = '[data-row]'

function moveRow(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>(`main ${ROW}`)]
  const own = document.activeElement?.closest<HTMLElement>(ROW)
  const index = own === null || own === undefined ? -1 : rows.indexOf(own)
  const target = rows[index < 0 ? 0 : index + by]
  target?.focus()
  target?.scrollIntoView({ block: 'nearest' })
}

async function copyRow(): Promise<void> {
  const row = document.activeElement?.closest(ROW)
  const text = row?.getAttribute('data-row') ?? ''
  if (text === '') return
  try {
    await navigator.clipboard.writeText(text)
    said.value = 'Copied.'
  } catch {
    failure.value = 'The browser does not let this page write to the clipboard.'
  }
}

/** ms within which a key follows `g`. */
const SEQUENCE = 1_500

export function listenToKeys(): void {
  let leader = Number.NEGATIVE_INFINITY
  document.addEventListener('keydown', (event) => {
    const { key, target } = event
    if (event.ctrlKey && key === 'k') {
      event.preventDefault()
      focusField(SEARCH_FIELD)
      return
    }
    if (!isSingleKey(event)) return
    if (key === 'Escape') {
      isPanelOpen.value = false
      return
    }
    const own = target instanceof HTMLElement ? target.dataset.href : undefined
    if (key === 'Enter' && own !== undefined) {
      navigate(own)
      return
    }
    if (!areKeysOn.value) return
    const view = event.timeStamp - leader < SEQUENCE ? VIEW_OF.get(key) : undefined
    leader = key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    const action =
      view === undefined ? (ofView.get(key) ?? GLOBAL[key]) : () => navigate(links.view(view))
    if (action === undefined) return
    // Arrows scroll where there are no rows.
    if (key.startsWith('Arrow') && document.querySelector(`main ${ROW}`) === null) return
    event.preventDefault()
    action()
  })
}
