import { Common, Mainnet } from '@ethereumjs/common'
import { Account, Address } from '@ethereumjs/util'
import { expect, test } from 'vitest'
import { textToBytes } from '../../../../devnet/primitives/bytes.ts'
import { StateUsageError } from '../../../../devnet/primitives/errors.ts'
import { Overlay } from '../../../../devnet/state/overlay/overlay.ts'
import { account, diffOf, dump, newStore, record, slot, type Writes } from '../support.ts'

const common = new Common({ chain: Mainnet })
const NONE = new Uint8Array(0)

const address = (index: number) => new Address(textToBytes(account(index)))
const key = (index: number) => textToBytes(slot(index))

function over(writes: Writes = {}) {
  const store = newStore()
  store.commit(diffOf(writes))
  return { store, overlay: new Overlay(store.view(), store.codes, common) }
}

const state = {
  accounts: [[0, record(1)]],
  slots: [
    [0, 0, 1],
    [0, 1, 2],
  ],
} as const

test('behavior: a revert gives everything back', async () => {
  const { overlay } = over(state)
  await overlay.putStorage(address(0), key(2), Uint8Array.of(3))
  await overlay.putCode(address(1), Uint8Array.of(1))
  const before = dump(overlay, 3, 4)
  await overlay.checkpoint()
  await overlay.putAccount(address(0), new Account(9n, 9n))
  await overlay.putStorage(address(0), key(0), Uint8Array.of(9))
  await overlay.putStorage(address(0), key(3), Uint8Array.of(9))
  await overlay.putCode(address(1), NONE)
  await overlay.putAccount(address(2), new Account(1n, 1n))
  await overlay.deleteAccount(address(0))
  await overlay.putAccount(address(0), new Account(8n, 8n))
  await overlay.putStorage(address(0), key(1), Uint8Array.of(8))
  await overlay.revert()
  expect(dump(overlay, 3, 4)).toEqual(before)
  expect(await overlay.getCode(address(1))).toEqual(Uint8Array.of(1))
})

test('behavior: writes before and after a clear in one checkpoint', async () => {
  const { overlay } = over(state)
  overlay.setSlot(account(0), slot(0), Uint8Array.of(5))
  const before = dump(overlay, 1, 4)
  await overlay.checkpoint()
  overlay.setSlot(account(0), slot(0), Uint8Array.of(6))
  overlay.clearSlots(account(0))
  overlay.setSlot(account(0), slot(0), Uint8Array.of(7))
  await overlay.checkpoint()
  overlay.clearSlots(account(0))
  overlay.setSlot(account(0), slot(3), Uint8Array.of(8))
  await overlay.commit()
  expect(dump(overlay, 1, 4)).toMatchObject([{ values: [[], [], [], [8]] }])
  await overlay.revert()
  expect(dump(overlay, 1, 4)).toEqual(before)
})

test('behavior: reverted to nothing, the overlay is clean', async () => {
  const { overlay } = over(state)
  await overlay.checkpoint()
  overlay.setSlot(account(0), slot(0), Uint8Array.of(6))
  overlay.setBalance(account(0), 1n)
  await overlay.revert()
  expect(overlay.isDirty).toBe(false)
  expect(overlay.takeDiff()).toEqual({ accounts: new Map(), storage: new Map() })
})

test('behavior: commit of the last checkpoint flushes nothing', async () => {
  const { store, overlay } = over(state)
  await overlay.checkpoint()
  overlay.setNonce(account(0), 2n)
  await overlay.commit()
  expect(store.view().account(account(0))).toEqual(record(1))
  expect(overlay.account(account(0))).toEqual(record(2))
})

test('behavior: changes are not taken while one is open', async () => {
  const { store, overlay } = over(state)
  await overlay.checkpoint()
  expect(() => overlay.takeDiff()).toThrow(StateUsageError)
  overlay.reset(store.view())
  expect(overlay.takeDiff().accounts.size).toBe(0)
  await expect(overlay.commit()).rejects.toThrow(StateUsageError)
  await expect(overlay.revert()).rejects.toThrow(StateUsageError)
})
