import { expect, test } from 'vitest'
import { StateUsageError } from '../../../../devnet/primitives/errors.ts'
import { Overlay } from '../../../../devnet/state/overlay/overlay.ts'
import {
  account,
  diffOf,
  dump,
  keccak256,
  newStore,
  record,
  slot,
  type Writes,
} from '../support.ts'

const NONE = new Uint8Array(0)

function over(writes: Writes = {}) {
  const store = newStore()
  store.commit(diffOf(writes))
  return { store, overlay: new Overlay(store.view(), store.codes) }
}

test('a slot that is set makes its account, unless it is set to zero', () => {
  const { overlay } = over()
  overlay.setSlot(account(0), slot(0), Uint8Array.of(0))
  expect(overlay.takeDiff()).toEqual({ accounts: new Map(), storage: new Map() })
  overlay.setSlot(account(0), slot(0), Uint8Array.of(1))
  expect(overlay.account(account(0))).toEqual(record(0))
})

test('helpers create missing accounts', () => {
  const { overlay } = over()
  overlay.setBalance(account(0), 5n)
  overlay.setNonce(account(1), 6n)
  overlay.setCode(account(2), Uint8Array.of(7))
  expect(overlay.account(account(0))).toEqual(record(0, 5))
  expect(overlay.account(account(1))).toEqual(record(6))
  expect(overlay.account(account(2))?.codeHash).toEqual(keccak256(Uint8Array.of(7)))
  overlay.setBalance(account(2), 8n)
  expect(overlay.account(account(2))).toMatchObject({ nonce: 0n, balance: 8n })
  overlay.removeAccount(account(2))
  expect(overlay.account(account(2))).toBeNull()
})

test('code reaches the shared codes only with the diff', () => {
  const { store, overlay } = over()
  overlay.setCode(account(0), Uint8Array.of(1))
  const hash = overlay.account(account(0))?.codeHash ?? NONE
  expect(overlay.code(hash)).toEqual(Uint8Array.of(1))
  expect(store.codes.get(hash)).toEqual(NONE)
  overlay.reset(store.view())
  expect(overlay.code(hash)).toEqual(NONE)
  overlay.setCode(account(0), Uint8Array.of(1))
  overlay.takeDiff()
  expect(store.codes.get(hash)).toEqual(Uint8Array.of(1))
})

test('overlay over an overlay', () => {
  const { store, overlay: lower } = over({
    accounts: [[0, record(1)]],
    slots: [
      [0, 0, 1],
      [0, 1, 1],
    ],
  })
  lower.setCode(account(0), Uint8Array.of(1))
  lower.setSlot(account(0), slot(0), NONE)
  const upper = new Overlay(lower, store.codes)
  expect(upper.code(upper.account(account(0))?.codeHash ?? NONE)).toEqual(Uint8Array.of(1))
  upper.setSlot(account(0), slot(1), Uint8Array.of(2))
  upper.setSlot(account(0), slot(2), Uint8Array.of(3))
  expect(dump(upper, 1, 3)).toMatchObject([
    {
      values: [[], [2], [3]],
      listed: [
        [1, 2],
        [2, 3],
      ],
    },
  ])
})

test('a copy goes its own way', () => {
  const { overlay } = over({ accounts: [[0, record(1)]], slots: [[0, 0, 1]] })
  overlay.setSlot(account(0), slot(1), Uint8Array.of(2))
  overlay.setCode(account(1), Uint8Array.of(1))
  const before = dump(overlay, 2, 2)
  const copy = overlay.shallowCopy()
  expect(dump(copy, 2, 2)).toEqual(before)
  expect(copy.code(copy.account(account(1))?.codeHash ?? NONE)).toEqual(Uint8Array.of(1))
  copy.setSlot(account(0), slot(1), Uint8Array.of(3))
  copy.removeAccount(account(1))
  expect(dump(overlay, 2, 2)).toEqual(before)
  overlay.setSlot(account(0), slot(0), Uint8Array.of(4))
  expect(dump(copy, 2, 2)).toMatchObject([{ values: [[1], [3]] }, { nonce: undefined }])
})

/** A state for checkpoints to go back to. */
const checkpointed = {
  accounts: [[0, record(1)]],
  slots: [
    [0, 0, 1],
    [0, 1, 2],
  ],
} as const

test('a revert gives everything back', () => {
  const { overlay } = over(checkpointed)
  overlay.setSlot(account(0), slot(2), Uint8Array.of(3))
  overlay.setCode(account(1), Uint8Array.of(1))
  const before = dump(overlay, 3, 4)
  overlay.openCheckpoint()
  overlay.setNonce(account(0), 9n)
  overlay.setBalance(account(0), 9n)
  overlay.setSlot(account(0), slot(0), Uint8Array.of(9))
  overlay.setSlot(account(0), slot(3), Uint8Array.of(9))
  overlay.setCode(account(1), NONE)
  overlay.setNonce(account(2), 1n)
  overlay.setBalance(account(2), 1n)
  overlay.removeAccount(account(0))
  overlay.setNonce(account(0), 8n)
  overlay.setBalance(account(0), 8n)
  overlay.setSlot(account(0), slot(1), Uint8Array.of(8))
  overlay.revertCheckpoint()
  expect(dump(overlay, 3, 4)).toEqual(before)
  const hash = overlay.account(account(1))?.codeHash ?? NONE
  expect(overlay.code(hash)).toEqual(Uint8Array.of(1))
})

test('writes before and after a clear in one checkpoint', () => {
  const { overlay } = over(checkpointed)
  overlay.setSlot(account(0), slot(0), Uint8Array.of(5))
  const before = dump(overlay, 1, 4)
  overlay.openCheckpoint()
  overlay.setSlot(account(0), slot(0), Uint8Array.of(6))
  overlay.clearSlots(account(0))
  overlay.setSlot(account(0), slot(0), Uint8Array.of(7))
  overlay.openCheckpoint()
  overlay.clearSlots(account(0))
  overlay.setSlot(account(0), slot(3), Uint8Array.of(8))
  overlay.keepCheckpoint()
  expect(dump(overlay, 1, 4)).toMatchObject([{ values: [[], [], [], [8]] }])
  overlay.revertCheckpoint()
  expect(dump(overlay, 1, 4)).toEqual(before)
})

test('reverted to nothing, the overlay is clean', () => {
  const { overlay } = over(checkpointed)
  overlay.openCheckpoint()
  overlay.setSlot(account(0), slot(0), Uint8Array.of(6))
  overlay.setBalance(account(0), 1n)
  overlay.revertCheckpoint()
  expect(overlay.takeDiff()).toEqual({ accounts: new Map(), storage: new Map() })
})

test('commit of the last checkpoint flushes nothing', () => {
  const { store, overlay } = over(checkpointed)
  overlay.openCheckpoint()
  overlay.setNonce(account(0), 2n)
  overlay.keepCheckpoint()
  expect(store.view().account(account(0))).toEqual(record(1))
  expect(overlay.account(account(0))).toEqual(record(2))
})

test('changes are not taken while one is open', () => {
  const { store, overlay } = over(checkpointed)
  overlay.openCheckpoint()
  expect(() => overlay.takeDiff()).toThrow(StateUsageError)
  overlay.reset(store.view())
  expect(overlay.takeDiff().accounts.size).toBe(0)
  expect(() => overlay.keepCheckpoint()).toThrow(StateUsageError)
  expect(() => overlay.revertCheckpoint()).toThrow(StateUsageError)
})
