import fc from 'fast-check'
import { expect } from 'vitest'
import { MissError } from '../../../../devnet/state/remote/remoteLayer.ts'
import {
  type StateView,
  type VersionedStore,
  VersionGoneError,
} from '../../../../devnet/state/store/versionedStore.ts'
import type { StateReader, Version } from '../../../../devnet/state/types.ts'
import { account, diffOf, dump, hasStorage, record, slot, type Writes } from '../support.ts'

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
    expect(hasStorage(view, key)).toBe(listed.size > 0)
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

interface Fork {
  readonly state: State
  readonly load: (which: number) => void
}

/** A store beside the naive one. */
class StoreModel {
  readonly store: VersionedStore
  readonly #start: State
  readonly #fork: Fork | undefined
  /** Living versions, with the writes that made them. */
  live: Map<Version, { state: State; writes: Writes }>
  readonly retained: { view: StateView; state: State }[] = []
  #head = 0
  #newest = 0
  #oldestWanted = 0
  forgot = false

  constructor(store: VersionedStore, fork?: Fork) {
    this.store = store
    this.#fork = fork
    this.#start = fork?.state ?? emptyState
    this.live = new Map([[0, { state: this.#start, writes: {} }]])
  }

  get head(): State {
    return this.live.get(this.#head)?.state ?? this.#start
  }

  get #kept(): Version[] {
    return [...this.live.keys()].filter((version) => version >= this.#oldestWanted)
  }

  /** @returns a branch of both, and what ends it */
  branch(): { model: StoreModel; release: () => void } {
    const [oldest = 0] = this.#kept
    const { store, release } = this.store.branch(this.store.codes, oldest)
    const model = new StoreModel(store, this.#fork)
    model.live = new Map([...this.live].filter(([version]) => version >= oldest))
    model.#head = this.#head
    model.#newest = this.#head
    model.#oldestWanted = this.#oldestWanted
    return { model, release }
  }

  run(command: Command): void {
    const pick = (which: number) => this.#kept[which % this.#kept.length] ?? this.#head
    if (command.do === 'commit') {
      const before = this.head
      this.#head = ++this.#newest
      expect(this.store.commit(diffOf(command.writes))).toBe(this.#head)
      const state = applied(before, command.writes)
      this.live.set(this.#head, { state, writes: command.writes })
    } else if (command.do === 'abandon') {
      this.#head = pick(command.which)
      this.store.abandon(this.#head)
      this.live = new Map([...this.live].filter(([version]) => version <= this.#head))
    } else if (command.do === 'forget') {
      this.#oldestWanted = pick(command.which)
      this.forgot ||= this.#oldestWanted > 0
      this.store.forgetBefore(this.#oldestWanted)
    } else if (command.do === 'retain') {
      const version = pick(command.which)
      const view = this.store.view(version).retain()
      this.retained.push({ view, state: this.live.get(version)?.state ?? this.#start })
    } else if (command.do === 'load') {
      this.#fork?.load(command.which)
    } else {
      const [gone] = this.retained.splice(command.which % Math.max(1, this.retained.length), 1)
      gone?.view.release()
    }
  }

  /** @param isAlone - true if no branch keeps what it does not */
  check(isAlone = true): void {
    const { store, retained } = this
    const check = (view: StateView, state: State) => {
      if (this.#fork === undefined) expect(read(view)).toEqual(state)
      else checkKnown(view, state)
    }
    expect(store.head).toBe(this.#head)
    for (let version = 0; version <= this.#newest; version++) {
      const state = this.live.get(version)?.state
      if (state !== undefined && version >= this.#oldestWanted) {
        check(store.view(version), state)
      } else if (isAlone && retained.length === 0) {
        expect(() => store.view(version)).toThrow(VersionGoneError)
      }
    }
    for (const { view, state } of retained) check(view, state)
  }
}

/**
 * Compares a store with the naive one.
 *
 * @param fork - the state under the first version, and what makes one of its values known
 */
export function play(
  commands: readonly Command[],
  newStore: () => VersionedStore,
  fork?: Fork,
): void {
  const model = new StoreModel(newStore(), fork)
  const { store } = model
  for (const command of commands) {
    model.run(command)
    model.check()
  }

  for (const { view } of model.retained) view.release()
  if (!model.forgot && fork === undefined) {
    // Abandoned versions leave no trace: as many values as if they had never been.
    const replayed = newStore()
    for (const { writes } of model.live.values()) replayed.commit(diffOf(writes))
    expect(store.countValues()).toBe(replayed.countValues())
  }
  if (fork !== undefined) {
    for (let which = 0; which < ACCOUNTS * (1 + SLOTS); which++) fork.load(which)
  }
  store.forgetBefore(store.head)
  const state = model.head
  expect(read(store.view())).toEqual(state)
  if (fork !== undefined) return
  const values = state.flatMap(({ nonce, slots }) => [nonce !== undefined, ...slots.map(Boolean)])
  expect(store.countValues()).toBe(values.filter(Boolean).length)
}

/** Compares a store and its branches, and theirs, with naive ones: no one sees another. */
export function playBranches(
  steps: readonly BranchStep[],
  newStore: () => VersionedStore,
  fork?: Fork,
): void {
  const models = [{ model: new StoreModel(newStore(), fork), release: () => {} }]
  for (const { at, ...step } of steps) {
    const index = at % models.length
    const model = models[index]?.model
    if (model === undefined) continue
    if (step.command !== undefined) model.run(step.command)
    else if (step.isNew) models.push(model.branch())
    else if (index > 0) models.splice(index, 1)[0]?.release()
    for (const each of models) each.model.check(false)
  }
}

export interface BranchStep {
  readonly at: number
  readonly command?: Command | undefined
  /** Without a command: a branch begins, or one ends. */
  readonly isNew: boolean
}

export const branchStep: fc.Arbitrary<BranchStep> = fc.record({
  at: which,
  command: fc.option(command, { nil: undefined, freq: 6 }),
  isNew: fc.boolean(),
})
