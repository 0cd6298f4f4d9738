import fc from 'fast-check'
import { expect } from 'vitest'
import { MissError } from '../../../../devnet/state/remote/remoteLayer.ts'
import {
  type StateView,
  type VersionedStore,
  VersionGoneError,
} from '../../../../devnet/state/store/versionedStore.ts'
import type { StateReader, Version } from '../../../../devnet/state/types.ts'
import { account, diffOf, dump, record, slot, type Writes } from '../support.ts'

export const ACCOUNTS = 3
export const SLOTS = 3

/** The naive store: a full copy of the state for each version. */
export type State = readonly { nonce: number | undefined; slots: readonly number[] }[]

const emptyState: State = Array.from({ length: ACCOUNTS }, () => ({
  nonce: undefined,
  slots: new Array(SLOTS).fill(0),
}))

function applied(state: State, { accounts = [], slots = [], cleared = [] }: Writes): State {
  const after = state.map(({ nonce, slots }) => ({ nonce, slots: [...slots] }))
  const at = (index: number) => after[index] ?? { nonce: undefined, slots: [] }
  for (const [index, value] of accounts) {
    at(index).nonce = value === null ? undefined : Number(value.nonce)
    if (value === null) at(index).slots.fill(0)
  }
  for (const index of cleared) at(index).slots.fill(0)
  for (const [owner, index, value] of slots) at(owner).slots[index] = value
  return after
}

/** What is not known yet is skipped; the rest must be as `state` says. */
function checkKnown(view: StateReader, state: State): void {
  for (const [index, { nonce, slots }] of state.entries()) {
    const key = account(index)
    const own = known(() => view.account(key)?.nonce, nonce === undefined ? nonce : BigInt(nonce))
    expect(own).toBe(nonce === undefined ? undefined : BigInt(nonce))
    const values = slots.map((value, at) => known(() => view.slot(key, slot(at))[0] ?? 0, value))
    expect(values).toEqual(slots)
    const listed = new Map([...view.slots(key)].map(([at, [value]]) => [at, value]))
    expect(view.hasStorage(key)).toBe(listed.size > 0)
    for (const [at, value] of slots.entries()) {
      const isMissing = known(() => view.slot(key, slot(at)), undefined) === undefined
      const isListed = listed.get(slot(at)) === value
      expect(isListed || value === 0 || isMissing).toBe(true)
      if (value === 0) expect(listed.has(slot(at))).toBe(false)
    }
  }
}

function known<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof MissError) return otherwise
    throw error
  }
}

function read(view: StateView): State {
  return dump(view, ACCOUNTS, SLOTS).map(({ nonce, values, listed, hasStorage }) => {
    const slots = values.map(([value]) => value ?? 0)
    expect(listed.map(([, value]) => value).sort()).toEqual(slots.filter(Boolean).sort())
    expect(hasStorage).toBe(slots.some(Boolean))
    return { nonce: nonce === undefined ? undefined : Number(nonce), slots }
  })
}

const accountIndex = fc.nat({ max: ACCOUNTS - 1 })
const writes = fc.record({
  accounts: fc.uniqueArray(
    fc.tuple(
      accountIndex,
      fc.option(
        fc.nat({ max: 3 }).map((nonce) => record(nonce)),
        { freq: 3 },
      ),
    ),
    { selector: ([index]) => index, maxLength: 2 },
  ),
  slots: fc.array(fc.tuple(accountIndex, fc.nat({ max: SLOTS - 1 }), fc.nat({ max: 3 })), {
    maxLength: 4,
  }),
  cleared: fc.array(accountIndex, { maxLength: 1 }),
})

export type Command =
  | { do: 'commit'; writes: Writes }
  | { do: 'abandon' | 'forget' | 'retain' | 'release' | 'load'; which: number }

const which = fc.nat({ max: 1000 })
export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('commit' as const), writes }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('abandon' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('retain' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('release' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('load' as const), which }) },
)

/**
 * Compares a store with the naive one.
 *
 * @param fork - the state under the first version, and what makes one of its values known
 */
export function play(
  commands: readonly Command[],
  newStore: () => VersionedStore,
  fork: { readonly state: State; readonly load: (which: number) => void } | undefined = undefined,
): void {
  const store = newStore()
  const start = fork?.state ?? emptyState
  const check = (view: StateView, state: State) => {
    if (fork === undefined) expect(read(view)).toEqual(state)
    else checkKnown(view, state)
  }
  /** Living versions, with the writes that made them. */
  let live = new Map<Version, { state: State; writes: Writes }>([[0, { state: start, writes: {} }]])
  const retained: { view: StateView; state: State }[] = []
  let head = 0
  let newest = 0
  let oldestWanted = 0
  let forgot = false
  const pick = (which: number, from: readonly Version[]) => from[which % from.length] ?? head

  for (const command of commands) {
    const kept = [...live.keys()].filter((version) => version >= oldestWanted)
    if (command.do === 'commit') {
      const before = live.get(head)?.state ?? start
      head = ++newest
      expect(store.commit(diffOf(command.writes))).toBe(head)
      live.set(head, { state: applied(before, command.writes), writes: command.writes })
    } else if (command.do === 'abandon') {
      head = pick(command.which, kept)
      store.abandon(head)
      live = new Map([...live].filter(([version]) => version <= head))
    } else if (command.do === 'forget') {
      oldestWanted = pick(command.which, kept)
      forgot ||= oldestWanted > 0
      store.forgetBefore(oldestWanted)
    } else if (command.do === 'retain') {
      const version = pick(command.which, kept)
      const view = store.view(version).retain()
      retained.push({ view, state: live.get(version)?.state ?? start })
    } else if (command.do === 'load') {
      fork?.load(command.which)
    } else {
      const [gone] = retained.splice(command.which % Math.max(1, retained.length), 1)
      gone?.view.release()
    }
    expect(store.head).toBe(head)
    for (let version = 0; version <= newest; version++) {
      const state = live.get(version)?.state
      if (state !== undefined && version >= oldestWanted) {
        check(store.view(version), state)
      } else if (retained.length === 0) {
        expect(() => store.view(version)).toThrow(VersionGoneError)
      }
    }
    for (const { view, state } of retained) check(view, state)
  }

  for (const { view } of retained) view.release()
  if (!forgot && fork === undefined) {
    // Abandoned versions leave no trace: as many values as if they had never been.
    const replayed = newStore()
    for (const { writes } of live.values()) replayed.commit(diffOf(writes))
    expect(store.countValues()).toBe(replayed.countValues())
  }
  if (fork !== undefined) {
    for (let which = 0; which < ACCOUNTS * (1 + SLOTS); which++) fork.load(which)
  }
  store.forgetBefore(head)
  const state = live.get(head)?.state ?? start
  expect(read(store.view())).toEqual(state)
  if (fork !== undefined) return
  const values = state.flatMap(({ nonce, slots }) => [nonce !== undefined, ...slots.map(Boolean)])
  expect(store.countValues()).toBe(values.filter(Boolean).length)
}
