import { expect, test } from 'vitest'
import { Codes } from '../../../../devnet/state/codes.ts'
import { MissError, RemoteLayer } from '../../../../devnet/state/remote/remoteLayer.ts'
import { VersionedStore } from '../../../../devnet/state/store/versionedStore.ts'
import { MemorySource } from '../../../support/memorySource.ts'
import { account, diffOf, dump, hasStorage, keccak256, record, slot } from '../support.ts'

const ALICE = account(0)
const NO_CODE = new Uint8Array(0)

/** A fork block with one account, which has a slot; nothing of it is known. */
function setUp() {
  const source = new MemorySource()
  source.accounts.set(ALICE, { nonce: 7n, balance: 0n, code: NO_CODE })
  source.setSlot(ALICE, slot(1), Uint8Array.of(42))
  const codes = new Codes(keccak256)
  const layer = new RemoteLayer(source, codes)
  const learn = () => layer.load({ accounts: [ALICE], slots: [[ALICE, slot(1)]] })
  return { layer, learn, source, store: new VersionedStore(codes, 0, layer) }
}

test('what no version has written is the remote value, in every version', async () => {
  const { learn, store } = setUp()
  const before = store.view()
  store.commit(diffOf({ accounts: [[0, record(8)]], slots: [[0, 1, 43]] }))
  expect(store.view().account(ALICE)?.nonce).toBe(8n)
  expect(() => before.account(ALICE)).toThrow(MissError)
  expect(() => before.slot(ALICE, slot(1))).toThrow(MissError)
  await learn()
  expect(before.account(ALICE)?.nonce).toBe(7n)
  expect(before.slot(ALICE, slot(1))).toEqual(Uint8Array.of(42))
  expect(store.view().slot(ALICE, slot(1))).toEqual(Uint8Array.of(43))
})

test('an execution waits for what is not known, and for nothing else', async () => {
  const { source, store } = setUp()
  store.commit(diffOf({ slots: [[0, 2, 5]], accounts: [[1, null]] }))
  const { lazyReads } = store.view()
  await lazyReads?.account(ALICE)
  await lazyReads?.slot(ALICE, slot(1))
  expect(store.view().slot(ALICE, slot(1))).toEqual(Uint8Array.of(42))
  expect(lazyReads?.account(ALICE)).toBeUndefined()
  expect(lazyReads?.slot(ALICE, slot(1))).toBeUndefined()
  expect(lazyReads?.slot(ALICE, slot(2))).toBeUndefined()
  expect(lazyReads?.account(account(1))).toBeUndefined()
  expect(lazyReads?.slot(account(1), slot(1))).toBeUndefined()
  expect(source.asked).toHaveLength(2)
})

function missOf(read: () => unknown): MissError | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof MissError) return error
    throw error
  }
}

test('a miss loads what was read', async () => {
  const { store } = setUp()
  const view = store.view()
  for (const read of [() => view.account(ALICE), () => view.slot(ALICE, slot(1))]) {
    await missOf(read)?.load()
    expect(missOf(read)).toBeUndefined()
  }
})

test.each(['unknown', 'known'])(
  'a deletion and a zero hide the remote values (%s), when old versions are forgotten too',
  async (when) => {
    const { learn, store } = setUp()
    if (when === 'known') await learn()
    store.commit(diffOf({ accounts: [[0, record(9)]], slots: [[0, 1, 9]] }))
    const deleted = store.commit(diffOf({ accounts: [[0, null]] }))
    const zero = store.commit(diffOf({ accounts: [[0, record(1)]], slots: [[0, 1, 0]] }))
    store.commit(diffOf({ accounts: [[0, record(2)]] }))
    store.forgetBefore(deleted)
    await learn()
    expect(store.view(deleted).account(ALICE)).toBeNull()
    store.forgetBefore(zero)
    expect(store.view(zero).slot(ALICE, slot(1))).toHaveLength(0)
    store.forgetBefore(store.head)
    expect(dump(store.view(), 1, 2)).toEqual([
      { nonce: 2n, balance: 0n, values: [[], []], listed: [], hasStorage: false },
    ])
  },
)

test('a deletion without a newer value survives forgetting', async () => {
  const { learn, store } = setUp()
  store.commit({ accounts: new Map([[ALICE, null]]), storage: new Map() })
  store.commit(diffOf({ slots: [[0, 1, 0]] }))
  store.forgetBefore(store.head)
  await learn()
  expect(store.view().account(ALICE)).toBeNull()
  expect(store.view().slot(ALICE, slot(1))).toHaveLength(0)
  expect(store.countValues()).toBe(2)
})

test('a blank value goes if it hides nothing', async () => {
  const { layer, store } = setUp()
  await layer.load({ accounts: [account(1)], slots: [[ALICE, slot(2)]] })
  store.commit(diffOf({ accounts: [[1, record(1)]], slots: [[0, 2, 1]] }))
  store.commit({ accounts: new Map([[account(1), null]]), storage: new Map() })
  store.commit(diffOf({ slots: [[0, 2, 0]] }))
  store.forgetBefore(store.head)
  expect(store.countValues()).toBe(0)
  expect(store.view().account(account(1))).toBeNull()
})

test('a zero over a slot that is not known is a write', async () => {
  const { learn, store } = setUp()
  const version = store.commit(diffOf({ slots: [[0, 1, 0]], accounts: [[1, null]] }))
  expect(store.view().slot(ALICE, slot(1))).toHaveLength(0)
  expect(store.view().account(account(1))).toBeNull()
  expect(store.writtenBetween(0, version)).toHaveLength(1)
  await learn()
  expect(store.view().slot(ALICE, slot(1))).toHaveLength(0)
})

test('a write of the remote value is none if that is known', async () => {
  const { learn, store } = setUp()
  await learn()
  store.commit(diffOf({ accounts: [[0, record(7)]], slots: [[0, 1, 42]] }))
  expect(store.countValues()).toBe(0)
})

test('a clear without own slots hides the remote ones, before and after forgetting', async () => {
  const { learn, store } = setUp()
  const before = store.view().retain()
  store.commit(diffOf({ cleared: [0] }))
  store.commit(diffOf({ slots: [[0, 2, 5]] }))
  store.commit(diffOf({ slots: [[0, 2, 0]] }))
  await learn()
  expect(store.view().slot(ALICE, slot(1))).toHaveLength(0)
  expect(before.slot(ALICE, slot(1))).toEqual(Uint8Array.of(42))
  before.release()
  store.forgetBefore(store.head)
  expect(store.view().slot(ALICE, slot(1))).toHaveLength(0)
  expect(hasStorage(store.view(), ALICE)).toBe(false)
})

test('an abandoned clear shows the remote slots again, but to its own readers', async () => {
  const { learn, store } = setUp()
  store.commit(diffOf({ cleared: [0] }))
  const cleared = store.view().retain()
  store.abandon(0)
  store.commit(diffOf({ slots: [[0, 2, 5]] }))
  await learn()
  expect(cleared.slot(ALICE, slot(1))).toHaveLength(0)
  expect(cleared.slot(ALICE, slot(2))).toHaveLength(0)
  expect(store.view().slot(ALICE, slot(1))).toEqual(Uint8Array.of(42))
  expect(store.view().slot(ALICE, slot(2))).toEqual(Uint8Array.of(5))
  cleared.release()
  expect(store.view().slot(ALICE, slot(2))).toEqual(Uint8Array.of(5))
  expect(store.countValues()).toBe(1)
})

test('lists own slots, and remote ones that are known and not overwritten', async () => {
  const { layer, learn, source, store } = setUp()
  source.setSlot(ALICE, slot(3), Uint8Array.of(3))
  store.commit(diffOf({ slots: [[0, 2, 5]] }))
  expect([...store.view().slots(ALICE)]).toEqual([[slot(2), Uint8Array.of(5)]])
  await learn()
  await layer.load({ accounts: [], slots: [[ALICE, slot(3)]] })
  const listed = store.view()
  store.commit(diffOf({ slots: [[0, 1, 0]] }))
  expect([...listed.slots(ALICE)].sort()).toEqual([
    [slot(1), Uint8Array.of(42)],
    [slot(2), Uint8Array.of(5)],
    [slot(3), Uint8Array.of(3)],
  ])
  expect([...store.view().slots(ALICE)].sort()).toEqual([
    [slot(2), Uint8Array.of(5)],
    [slot(3), Uint8Array.of(3)],
  ])
})

test('going back takes as many steps at 100,000 known values as at none', async () => {
  const counts = []
  for (const known of [0, 100_000]) {
    const { layer, store } = setUp()
    const keys = Array.from({ length: known }, (_, index) => [ALICE, slot(index + 100)] as const)
    layer.learn({ accounts: [], slots: keys }, { accounts: [], slots: keys.map(() => NO_CODE) })
    const size = store.countValues()
    const before = store.view().retain()
    store.commit(diffOf({ slots: [[0, 2, 5]] }))
    counts.push([size, store.writtenBetween(0, store.head).length, store.countValues()])
    store.abandon(before.version)
    before.release()
    counts.push([store.countValues(), layer.misses])
  }
  expect(counts.slice(2)).toEqual(counts.slice(0, 2))
})
