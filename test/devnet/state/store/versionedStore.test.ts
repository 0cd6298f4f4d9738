import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { StateUsageError } from '../../../../devnet/primitives/errors.ts'
import { runAtOnce } from '../../../../devnet/primitives/paced.ts'
import { VersionGoneError } from '../../../../devnet/state/store/versionedStore.ts'
import {
  account,
  diffOf,
  dump,
  hasStorage,
  newStore,
  record,
  slot,
  type Writes,
} from '../support.ts'

test('default', () => {
  const store = newStore()
  const empty = store.view()
  const first = store.commit(diffOf({ accounts: [[1, record(1, 5)]], slots: [[1, 2, 3]] }))
  expect(first).toBe(1)
  expect(store.head).toBe(1)
  const view = store.view()
  expect(view.version).toBe(1)
  expect(view.account(account(1))).toEqual(record(1, 5))
  expect(view.slot(account(1), slot(2))).toEqual(Uint8Array.of(3))
  expect(view.slot(account(1), slot(3))).toEqual(new Uint8Array(0))
  expect(hasStorage(view, account(1))).toBe(true)
  expect(empty.account(account(1))).toBeNull()
  expect(hasStorage(empty, account(1))).toBe(false)
})

test('a view stays as it is while commits go on', () => {
  const store = newStore()
  const writes = (value: number) =>
    diffOf({
      accounts: [[0, record(value)]],
      slots: [
        [0, 0, value],
        [0, value, 1],
      ],
    })
  const views = Array.from({ length: 100 }, (_, index) => {
    store.commit(writes(index + 1))
    return store.view()
  })
  const before = views.map((view) => dump(view, 1, 4))
  for (let value = 101; value < 200; value++) store.commit(writes(value))
  expect(views.map((view) => dump(view, 1, 4))).toEqual(before)
  expect(before.map(([first]) => first?.nonce)).toEqual(views.map(({ version }) => BigInt(version)))
})

test('a deleted account does not exist, and made again has no old slots', () => {
  const store = newStore()
  store.commit(
    diffOf({
      accounts: [[0, record(1)]],
      slots: [
        [0, 0, 7],
        [0, 1, 8],
      ],
    }),
  )
  const alive = store.view()
  store.commit(diffOf({ accounts: [[0, null]] }))
  const deleted = store.view()
  store.commit(diffOf({ accounts: [[0, record(1)]], slots: [[0, 1, 9]] }))
  const remade = store.view()
  expect([alive, deleted, remade].map((view) => dump(view, 1, 2)[0])).toEqual([
    {
      nonce: 1n,
      balance: 0n,
      values: [[7], [8]],
      listed: [
        [0, 7],
        [1, 8],
      ],
      hasStorage: true,
    },
    { nonce: undefined, balance: undefined, values: [[], []], listed: [], hasStorage: false },
    { nonce: 1n, balance: 0n, values: [[], [9]], listed: [[1, 9]], hasStorage: true },
  ])
})

test('within a version the clear comes before the slots', () => {
  const store = newStore()
  store.commit(
    diffOf({
      accounts: [[0, record(1)]],
      slots: [
        [0, 0, 1],
        [0, 1, 1],
      ],
    }),
  )
  store.commit(diffOf({ cleared: [0], slots: [[0, 1, 2]] }))
  expect(store.view().slot(account(0), slot(0))).toEqual(new Uint8Array(0))
  expect(store.view().slot(account(0), slot(1))).toEqual(Uint8Array.of(2))
})

test('values are copied, and what does not change is not kept', () => {
  const store = newStore()
  const value = Uint8Array.of(1)
  const slots = new Map([[slot(0), value]])
  store.commit({ accounts: new Map(), storage: new Map([[account(0), { cleared: false, slots }]]) })
  value[0] = 2
  expect(store.view().slot(account(0), slot(0))).toEqual(Uint8Array.of(1))
  store.commit(diffOf({ accounts: [[0, record(1)]] }))
  const count = store.countValues()
  store.commit(
    diffOf({
      accounts: [
        [0, record(1)],
        [1, null],
      ],
      slots: [
        [0, 0, 1],
        [1, 1, 0],
      ],
    }),
  )
  expect(store.head).toBe(3)
  expect(store.countValues()).toBe(count)
})

test('a commit in pieces leaves what a commit leaves', () => {
  const writes: Writes = {
    accounts: Array.from({ length: 200 }, (_, index) => [index, record(index)] as const),
    slots: Array.from({ length: 2000 }, (_, index) => [index % 3, index, index % 5] as const),
  }
  const again: Writes = { cleared: [0], slots: [...(writes.slots ?? []), [7, 1, 1]] }
  const [whole, paced] = [newStore(), newStore()]
  for (const each of [writes, { accounts: [[1, null]] } satisfies Writes, again, {}]) {
    const before = paced.view()
    const known = dump(before, 10, 2000)
    whole.commit(diffOf(each))
    const version = runAtOnce(paced.commitPaced(diffOf(each)))
    expect(version).toBe(paced.head)
    expect(version).toBeGreaterThan(before.version)
    // Accounts 0 to 2 and 7 have slots; the others are only compared as accounts.
    expect(dump(paced.view(version), 8, 2000)).toEqual(dump(whole.view(), 8, 2000))
    expect(dump(paced.view(version), 200, 1)).toEqual(dump(whole.view(), 200, 1))
    expect(dump(before, 10, 2000)).toEqual(known)
  }
  expect(paced.countValues()).toBe(whole.countValues())
})

describe('abandon', () => {
  test('default', () => {
    const store = newStore()
    store.commit(diffOf({ accounts: [[0, record(1)]], slots: [[0, 0, 1]] }))
    store.commit(diffOf({ accounts: [[0, record(2)]], slots: [[0, 0, 2]] }))
    store.commit(diffOf({ accounts: [[0, null]] }))
    store.abandon(1)
    expect(store.head).toBe(1)
    expect(dump(store.view(), 1, 1)).toMatchObject([{ nonce: 1n, values: [[1]] }])
    expect(store.commit(diffOf({ accounts: [[1, record(1)]] }))).toBe(4)
    expect(dump(store.view(), 2, 1)).toMatchObject([{ nonce: 1n, values: [[1]] }, { nonce: 1n }])
    expect(store.countValues()).toBe(3)
  })

  test('a retained view stays readable, later views skip its values', () => {
    const store = newStore()
    store.commit(
      diffOf({
        accounts: [[0, record(1)]],
        slots: [
          [0, 0, 1],
          [0, 1, 1],
        ],
      }),
    )
    store.commit(diffOf({ accounts: [[0, null]] }))
    store.commit(diffOf({ accounts: [[0, record(7)]], slots: [[0, 1, 7]] }))
    const inside = store.view().retain()
    const before = dump(inside, 1, 3)
    store.abandon(1)
    store.commit(diffOf({ accounts: [[0, record(2)]], slots: [[0, 2, 2]] }))
    expect(dump(inside, 1, 3)).toEqual(before)
    expect(dump(store.view(), 1, 3)).toMatchObject([{ nonce: 2n, values: [[1], [1], [2]] }])
    expect(dump(store.view(1), 1, 3)).toMatchObject([{ nonce: 1n, values: [[1], [1], []] }])
    inside.release()
    expect(dump(store.view(), 1, 3)).toMatchObject([{ nonce: 2n, values: [[1], [1], [2]] }])
    expect(store.countValues()).toBe(5)
    expect(() => store.view(3)).toThrow(VersionGoneError)
  })

  test('intervals inside one another end with their own readers', () => {
    const store = newStore()
    const commit = (nonce: number) => store.commit(diffOf({ accounts: [[0, record(nonce)]] }))
    commit(1)
    commit(2)
    commit(3)
    const inner = store.view().retain()
    store.abandon(2)
    commit(4)
    const outer = store.view().retain()
    store.abandon(1)
    commit(5)
    const nonces = () =>
      [inner, outer, store.view(), store.view(1)].map((view) => view.account(account(0))?.nonce)
    expect(nonces()).toEqual([3n, 4n, 5n, 1n])
    expect(store.countValues()).toBe(5)
    outer.release()
    expect(nonces().toSpliced(1, 1)).toEqual([3n, 5n, 1n])
    inner.release()
    expect(nonces().slice(2)).toEqual([5n, 1n])
    expect(store.countValues()).toBe(2)
  })

  test('going back twice without a commit between', () => {
    const store = newStore()
    const commit = (nonce: number) => store.commit(diffOf({ accounts: [[0, record(nonce)]] }))
    commit(1)
    commit(2)
    commit(3)
    const inside = store.view().retain()
    store.abandon(2)
    store.abandon(1)
    expect(inside.account(account(0))).toEqual(record(3))
    expect(store.view().account(account(0))).toEqual(record(1))
    expect(commit(4)).toBe(4)
    inside.release()
    expect(store.countValues()).toBe(2)
  })

  test('to the head changes nothing, to a version that is gone throws', () => {
    const store = newStore()
    store.commit(diffOf({ accounts: [[0, record(1)]] }))
    store.commit(diffOf({ accounts: [[0, record(2)]] }))
    store.abandon(2)
    expect(store.head).toBe(2)
    store.abandon(1)
    for (const version of [2, 3, -1, 0.5, Number.NaN]) {
      expect(() => store.abandon(version)).toThrow(VersionGoneError)
      expect(() => store.view(version)).toThrow(VersionGoneError)
      expect(() => store.retain(version)).toThrow(VersionGoneError)
    }
  })

  test('frees the memory, at once or with the last reader', async () => {
    setFlagsFromString('--expose-gc')
    const gc: () => void = runInNewContext('gc')
    const isFreed = async (reference: WeakRef<object>) => {
      await setImmediate()
      gc()
      return reference.deref() === undefined
    }
    const store = newStore()
    const commit = (nonce: number) => {
      const value = record(nonce)
      store.commit(diffOf({ accounts: [[0, value]] }))
      return new WeakRef(value)
    }
    commit(1)
    const unread = commit(2)
    store.abandon(1)
    expect(await isFreed(unread)).toBe(true)
    const read = commit(3)
    const views = [store.view().retain(), store.view().retain()]
    store.abandon(1)
    views[0]?.release()
    expect(await isFreed(read)).toBe(false)
    views[1]?.release()
    expect(await isFreed(read)).toBe(true)
  })
})

test('released more often than retained', () => {
  const store = newStore()
  const view = store.view().retain()
  view.release()
  expect(() => view.release()).toThrow(StateUsageError)
})
