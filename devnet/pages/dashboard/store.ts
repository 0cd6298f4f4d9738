import { batch, computed, signal } from '@preact/signals'
import type { Changed } from '../../dashboard/feed.ts'
import type { Command } from '../../dashboard/methods/command.ts'
import type { Names } from '../../dashboard/naming.ts'
import type { LogLine } from '../../dashboard/newestLines.ts'
import { newestLines } from '../../dashboard/newestLines.ts'
import type { DashboardApi } from '../../dashboard/queryTable.ts'
import { reasonOf } from '../../primitives/errors.ts'
import { type Client, type Link, LostError, openLink, takeFragment } from '../kit/link.ts'
import { plural } from '../kit/shownValue.ts'
import { type HeldGroups, mergeGroups } from './stripGroups.ts'

/** Keys in the browser's store, of which every port has one. */
const SAY_SEALS = 'devnet-dashboard-say-seals'
const TOKEN = 'devnet-dashboard-token'

export type Method = keyof DashboardApi
export type Params<Name extends Method> = DashboardApi[Name]['params']
export type Answer<Name extends Method> = DashboardApi[Name]['answer']
type StateAnswer = Answer<'state'>

export const link = signal<Link>('connecting')
/** The node's last status; `undefined` until it has admitted the page. */
export const state = signal<StateAnswer | undefined>(undefined)
export const status = computed(() => state.value?.status)
export const strip = signal<HeldGroups>({ groups: [], older: null })
/** True if a person has scrolled the strip away from the newest group. */
export const isBrowsing = signal(false)
/** Block to which a command went back, until the next seal. */
export const undoneTo = signal<number | undefined>(undefined)
/** Rises with each change of the chain; views ask again. */
export const revision = signal(0)
/** Rises when blocks or transactions were taken back: nothing that was kept is valid. */
export const undos = signal(0)
/** Names of addresses, by all answers so far. */
const names = signal<Names>({})
/** Lines of the log that were pushed, oldest first. */
export const pushedLines = signal<readonly LogLine[]>([])
/** `performance.now()` when the status came. */
const statusAt = signal(0)
/** `performance.now()`, once a second: what shows ages and clocks reads it. */
export const now = signal(performance.now())
/** Next words for a screen reader. */
export const said = signal('')
/** The node's sentence if the last command failed. */
export const failure = signal<string | undefined>(undefined)

/** Maximum number of lines and of names that the page keeps. */
const MAX_LINES = 1_000
const MAX_NAMES = 20_000
/** Number of groups that the strip asks for at once. */
export const GROUPS_A_PAGE = 60

/** True if the node takes commands of this page. */
export const canCommand = computed(
  () => link.value === 'live' && state.value !== undefined && state.value.follows === null,
)

/** True if a screen reader is told of each seal; kept for the next visit. */
export const areSealsSaid = signal(localStorage.getItem(SAY_SEALS) === 'on')

export function saySeals(isOn: boolean): void {
  areSealsSaid.value = isOn
  localStorage.setItem(SAY_SEALS, isOn ? 'on' : 'off')
}

/** True if virtual time stands still. */
export const isTimeFrozen = computed(
  () =>
    status.value !== undefined &&
    !status.value.instant &&
    !status.value.ticks.running &&
    !status.value.sealing.running,
)

/** Virtual time in ms, as of this second. */
export const chainTime = computed(() => {
  const time = status.value?.time ?? 0
  return isTimeFrozen.value ? time : time + Math.max(0, now.value - statusAt.value)
})

let client: Client<DashboardApi> | undefined

/** @throws {Error} with the node's sentence */
export async function call<Name extends Method>(
  method: Name,
  params: Params<Name>,
): Promise<Answer<Name>> {
  if (client === undefined) throw new Error('The page is not connected.')
  const answer = await client.call(method, params)
  if ('names' in answer) addNames(answer.names)
  return answer
}

/** Name of an address in lower case, if it has one; a component that reads it follows changes. */
export function nameOf(address: string): string | undefined {
  return (names.value as Readonly<Record<string, string>>)[address]
}

/** All addresses that have a name. */
export function namedAddresses(): Names {
  return names.value
}

function addNames(added: Names): void {
  const known = names.peek()
  const isNew = ([address, name]: [string, string]) =>
    (known as Readonly<Record<string, string>>)[address] !== name
  const fresh = Object.entries(added).filter(isNew)
  if (fresh.length === 0) return
  const base = Object.keys(known).length > MAX_NAMES ? (state.peek()?.names ?? {}) : known
  names.value = { ...base, ...Object.fromEntries(fresh) }
}

/** Shows the node's sentence; after the loss of the connection, the page asks again by itself. */
export function tell(error: unknown): void {
  if (!(error instanceof LostError)) failure.value = reasonOf(error)
}

/** Sends a command. Its failure is shown until the next one. */
export async function command(
  params: Command,
  done: string,
): Promise<Answer<'command'> | undefined> {
  failure.value = undefined
  try {
    const answer = await call('command', params)
    batch(() => {
      const before = state.peek()
      if (before !== undefined) takeState({ ...before, ...answer })
      said.value = done
    })
    return answer
  } catch (error) {
    failure.value = reasonOf(error)
    return undefined
  }
}

function takeState(next: StateAnswer): void {
  batch(() => {
    state.value = next
    statusAt.value = performance.now()
    now.value = statusAt.value
    if (undoneTo.value !== undefined && next.status.latest.number > undoneTo.value) {
      undoneTo.value = undefined
    }
  })
}

/** Asks for all anew: at first, and whenever pushes were missed. */
async function refresh(given?: StateAnswer): Promise<void> {
  // At first there is nothing yet that could have been taken back.
  const isFirst = state.peek() === undefined
  const next = given ?? (await call('state', {}))
  addNames(next.names)
  takeState(next)
  const { groups, next: older } = await call('strip', { limit: GROUPS_A_PAGE })
  batch(() => {
    strip.value = { groups, older }
    if (!isFirst) undos.value += 1
    revision.value += 1
  })
}

/** A loss of the connection on the way is no error: the next connection asks for all anew. */
function refreshSoon(given?: StateAnswer): void {
  refresh(given).catch((error: unknown) => {
    if (link.peek() === 'live') failure.value = String(error)
  })
}

function onChanged(changed: Changed): void {
  const before = state.peek()
  // The answer to `refresh` is on its way, or nobody looks.
  if (before === undefined || document.visibilityState === 'hidden') return
  const { sequence, status: nextStatus, counts, snapshots, undo, lines } = changed
  if (sequence <= before.sequence) return
  const isGap = sequence !== before.sequence + 1
  batch(() => {
    takeState({ ...before, sequence, status: nextStatus, counts, snapshots })
    addNames(changed.names)
    if (lines.length > 0) {
      pushedLines.value = newestLines([...pushedLines.value, ...lines], MAX_LINES)
    }
    strip.value = mergeGroups(strip.value, changed.groups, isBrowsing.value, undo?.latest)
    revision.value += 1
    if (undo !== null) {
      undos.value += 1
      const isKept = undo.command === 'drop' || undo.command === 'rearrange'
      if (!isKept) undoneTo.value = undo.latest
    }
  })
  if (isGap) refreshSoon()
  if (areSealsSaid.value && nextStatus.latest.number > before.status.latest.number) {
    said.value = sealWords(changed)
  }
}

/** Words for the newest sealed block. */
function sealWords({ status: { latest }, groups }: Changed): string {
  const block = groups.find((group) => group.kind === 'block' && group.number === latest.number)
  const transactions = block?.kind === 'block' ? block.transactions : 0
  return `Block ${latest.number} is sealed: ${plural(transactions, 'transaction')}.`
}

/**
 * Connects with the token of the address, or else with the one that the node accepted before.
 *
 * @param pasted - an address with a token, or a token
 */
export function start(pasted?: string): void {
  const fragment = new URLSearchParams(takeFragment(/(?:^|&)token=/))
  const given = pasted ?? fragment.get('token') ?? ''
  const kept = localStorage.getItem(TOKEN) ?? ''
  tryTokens([...new Set([given, kept])].filter((token) => token !== ''))
}

/** True if the node of this address, or one before it, has admitted the page. */
export const wasAdmitted = () => localStorage.getItem(TOKEN) !== null

function tryTokens([token, ...others]: readonly string[]): void {
  client?.close()
  client = undefined
  state.value = undefined
  if (token === undefined) {
    link.value = 'refused'
    return
  }
  link.value = 'connecting'
  client = openLink('/dashboard/api', token, {
    onOpen: () => call('state', {}),
    onLink(next, given?: StateAnswer) {
      if (next === 'refused') {
        tryTokens(others)
        return
      }
      link.value = next
      if (next === 'live') {
        // Only now, so that a wrong link cannot replace a right one.
        localStorage.setItem(TOKEN, token)
        refreshSoon(given)
      }
    },
    onPush: onChanged,
  })
}

/** Follows the address bar, the tab's visibility and the wall clock. */
export function listenToTab(): void {
  window.addEventListener('hashchange', () => {
    if (location.hash.includes('token=')) start()
  })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && link.peek() === 'live') refreshSoon()
  })
  setInterval(() => {
    if (document.visibilityState === 'visible') now.value = performance.now()
  }, 1_000)
}
