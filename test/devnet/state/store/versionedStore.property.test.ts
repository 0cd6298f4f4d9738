import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type StateView, VersionGoneError } from '../../../../devnet/state/store/versionedStore.ts'
import type { Version } from '../../../../devnet/state/types.ts'
import { runs } from '../../../support/longRuns.ts'
import { diffOf, dump, newStore, record, type Writes } from '../support.ts'

const ACCOUNTS = 3
const SLOTS = 3

/** The naive store: a full copy of the state for each version. */
type State = readonly { nonce: number | undefined; slots: readonly number[] }[]

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

type Command =
  | { do: 'commit'; writes: Writes }
  | { do: 'abandon' | 'forget' | 'retain' | 'release'; which: number }

const which = fc.nat({ max: 1000 })
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('commit' as const), writes }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('abandon' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('retain' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('release' as const), which }) },
)

function play(commands: readonly Command[]): void {
  const store = newStore()
  /** Living versions, with the writes that made them. */
  let live = new Map<Version, { state: State; writes: Writes }>([
    [0, { state: emptyState, writes: {} }],
  ])
  const retained: { view: StateView; state: State }[] = []
  let head = 0
  let newest = 0
  let oldestWanted = 0
  let forgot = false
  const pick = (which: number, from: readonly Version[]) => from[which % from.length] ?? head

  for (const command of commands) {
    const kept = [...live.keys()].filter((version) => version >= oldestWanted)
    if (command.do === 'commit') {
      const before = live.get(head)?.state ?? emptyState
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
      retained.push({ view, state: live.get(version)?.state ?? emptyState })
    } else {
      const [gone] = retained.splice(command.which % Math.max(1, retained.length), 1)
      gone?.view.release()
    }
    expect(store.head).toBe(head)
    for (let version = 0; version <= newest; version++) {
      const state = live.get(version)?.state
      if (state !== undefined && version >= oldestWanted) {
        expect(read(store.view(version))).toEqual(state)
      } else if (retained.length === 0) {
        expect(() => store.view(version)).toThrow(VersionGoneError)
      }
    }
    for (const { view, state } of retained) expect(read(view)).toEqual(state)
  }

  for (const { view } of retained) view.release()
  if (!forgot) {
    // Abandoned versions leave no trace: as many values as if they had never been.
    const replayed = newStore()
    for (const { writes } of live.values()) replayed.commit(diffOf(writes))
    expect(store.countValues()).toBe(replayed.countValues())
  }
  store.forgetBefore(head)
  const state = live.get(head)?.state ?? emptyState
  expect(read(store.view())).toEqual(state)
  const values = state.flatMap(({ nonce, slots }) => [nonce !== undefined, ...slots.map(Boolean)])
  expect(store.countValues()).toBe(values.filter(Boolean).length)
}

test('behavior: as a store that copies the state for each version', () => {
  fc.assert(fc.property(fc.array(command, { maxLength: 40, size: 'max' }), play), {
    seed: 1,
    numRuns: runs(300),
  })
})
