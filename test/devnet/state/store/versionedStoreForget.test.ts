import { expect, test } from 'vitest'
import { VersionGoneError } from '../../../../devnet/state/store/versionedStore.ts'
import { account, diffOf, dump, newStore, record } from '../support.ts'

test('default', () => {
  const store = newStore()
  for (let value = 1; value <= 10; value++) {
    store.commit(diffOf({ accounts: [[0, record(value)]], slots: [[0, 0, value]] }))
  }
  store.forgetBefore(8)
  expect(store.countValues()).toBe(6)
  for (const version of [8, 9, 10]) {
    expect(dump(store.view(version), 1, 1)).toMatchObject([
      { nonce: BigInt(version), values: [[version]] },
    ])
  }
  expect(() => store.view(7)).toThrow(VersionGoneError)
  expect(() => store.forgetBefore(7)).toThrow(VersionGoneError)
  expect(() => store.forgetBefore(11)).toThrow(VersionGoneError)
})

test('nothing is left of deleted accounts and slots', () => {
  const store = newStore()
  store.commit(
    diffOf({
      accounts: [
        [0, record(1)],
        [1, record(1)],
      ],
      slots: [
        [0, 0, 1],
        [1, 0, 1],
        [1, 1, 1],
      ],
    }),
  )
  store.commit(diffOf({ accounts: [[0, null]], slots: [[1, 0, 0]] }))
  store.forgetBefore(2)
  expect(store.countValues()).toBe(2)
  expect(dump(store.view(), 2, 2)).toMatchObject([
    { nonce: undefined, values: [[], []] },
    { nonce: 1n, values: [[], [1]] },
  ])
})

test('waits for retained views', () => {
  const store = newStore()
  for (let value = 1; value <= 5; value++) store.commit(diffOf({ accounts: [[0, record(value)]] }))
  const old = store.view(2).retain()
  store.forgetBefore(5)
  expect(old.account(account(0))).toEqual(record(2))
  expect(store.countValues()).toBe(4)
  old.release()
  expect(store.countValues()).toBe(1)
  expect(() => store.view(4)).toThrow(VersionGoneError)
})

test('waits for abandoned versions that are read, and spares what they hide', () => {
  const store = newStore()
  for (let value = 1; value <= 3; value++) store.commit(diffOf({ accounts: [[0, record(value)]] }))
  const inside = store.view().retain()
  store.abandon(2)
  store.commit(diffOf({ accounts: [[1, record(1)]] }))
  store.forgetBefore(4)
  expect(inside.account(account(0))).toEqual(record(3))
  inside.release()
  expect(store.view().account(account(0))).toEqual(record(2))
  expect(store.countValues()).toBe(2)
})

test('going back ends the wish to forget what lies after', () => {
  const store = newStore()
  for (let value = 1; value <= 5; value++) store.commit(diffOf({ accounts: [[0, record(value)]] }))
  const old = store.view(2).retain()
  store.forgetBefore(5)
  store.abandon(3)
  old.release()
  expect(store.commit(diffOf({ accounts: [[0, record(6)]] }))).toBe(6)
  expect(store.view(3).account(account(0))).toEqual(record(3))
})
