import { Common, Mainnet } from '@ethereumjs/common'
import { Account, Address, KECCAK256_NULL, KECCAK256_RLP } from '@ethereumjs/util'
import { describe, expect, test } from 'vitest'
import { textToBytes } from '../../../../devnet/primitives/bytes.ts'
import { StateUsageError } from '../../../../devnet/primitives/errors.ts'
import { EMPTY_CODE_HASH } from '../../../../devnet/state/codes.ts'
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

const common = new Common({ chain: Mainnet })
const NONE = new Uint8Array(0)

const address = (index: number) => new Address(textToBytes(account(index)))
const key = (index: number) => textToBytes(slot(index))

function over(writes: Writes = {}) {
  const store = newStore()
  store.commit(diffOf(writes))
  return { store, overlay: new Overlay(store.view(), store.codes, common) }
}

test('default', async () => {
  const { store, overlay } = over({ accounts: [[0, record(1, 5)]], slots: [[0, 0, 1]] })
  await overlay.putAccount(address(0), new Account(2n, 6n))
  await overlay.putStorage(address(0), key(1), Uint8Array.of(0, 0, 7))
  await overlay.putCode(address(1), Uint8Array.of(0xfe))
  expect(overlay.isDirty).toBe(true)
  expect(store.view().account(account(0))).toEqual(record(1, 5))
  const diff = overlay.takeDiff()
  expect(overlay.isDirty).toBe(false)
  expect(overlay.account(account(0))).toEqual(record(1, 5))
  store.commit(diff)
  const view = store.view()
  expect(dump(view, 1, 2)).toMatchObject([{ nonce: 2n, balance: 6n, values: [[1], [7]] }])
  const contract = view.account(account(1))
  expect(contract).toEqual({ nonce: 0n, balance: 0n, codeHash: keccak256(Uint8Array.of(0xfe)) })
  expect(view.code(contract?.codeHash ?? NONE)).toEqual(Uint8Array.of(0xfe))
})

describe('accounts', () => {
  test('behavior: a new object each time, and copied when put', async () => {
    const { overlay } = over({ accounts: [[0, record(1, 5)]] })
    const first = await overlay.getAccount(address(0))
    if (first === undefined) throw new Error('no account')
    first.balance -= 3n
    expect(await overlay.getAccount(address(0))).toMatchObject({ nonce: 1n, balance: 5n })
    await overlay.putAccount(address(0), first)
    first.balance = 99n
    expect((await overlay.getAccount(address(0)))?.balance).toBe(2n)
  })

  test('behavior: undefined if there is none', async () => {
    const { overlay } = over()
    expect(await overlay.getAccount(address(0))).toBeUndefined()
    expect(await overlay.getCode(address(0))).toEqual(NONE)
    expect(await overlay.getCodeSize(address(0))).toBe(0)
    expect(await overlay.getStorage(address(0), key(0))).toEqual(NONE)
  })

  test('behavior: putAccount keeps the code, modifyAccountFields can change it', async () => {
    const { overlay } = over()
    const code = Uint8Array.of(1, 2)
    await overlay.putCode(address(0), code)
    await overlay.putAccount(address(0), new Account(1n, 1n))
    expect(await overlay.getCode(address(0))).toEqual(code)
    expect(await overlay.getCodeSize(address(0))).toBe(2)
    await overlay.modifyAccountFields(address(0), { balance: 0n })
    expect(await overlay.getAccount(address(0))).toMatchObject({ nonce: 1n, balance: 0n })
    expect(await overlay.getCode(address(0))).toEqual(code)
    await overlay.modifyAccountFields(address(0), { codeHash: KECCAK256_NULL, nonce: 4n })
    expect(overlay.account(account(0))).toEqual(record(4))
    expect(overlay.account(account(0))?.codeHash).toBe(EMPTY_CODE_HASH)
  })

  test('behavior: records without code hold the one empty hash', async () => {
    const { overlay } = over()
    await overlay.putAccount(address(0), new Account())
    await overlay.putAccount(address(1), new Account(0n, 0n, KECCAK256_RLP, KECCAK256_NULL.slice()))
    await overlay.putCode(address(2), Uint8Array.of(1))
    await overlay.putCode(address(2), NONE)
    await overlay.modifyAccountFields(address(3), { nonce: 1n })
    for (const index of [0, 1, 2, 3]) {
      expect(overlay.account(account(index))?.codeHash).toBe(EMPTY_CODE_HASH)
    }
  })

  test('behavior: a deleted account loses code and storage, even if it is made again', async () => {
    const { store, overlay } = over({ accounts: [[0, record(1)]], slots: [[0, 0, 1]] })
    await overlay.putCode(address(0), Uint8Array.of(1))
    await overlay.deleteAccount(address(0))
    expect(await overlay.getAccount(address(0))).toBeUndefined()
    expect(await overlay.getCode(address(0))).toEqual(NONE)
    await overlay.putAccount(address(0), new Account(1n, 0n))
    expect(await overlay.getStorage(address(0), key(0))).toEqual(NONE)
    expect(await overlay.getCode(address(0))).toEqual(NONE)
    store.commit(overlay.takeDiff())
    expect(dump(store.view(), 1, 1)).toMatchObject([{ nonce: 1n, hasStorage: false }])
  })

  test('behavior: putAccount without an account deletes', async () => {
    const { overlay } = over({ accounts: [[0, record(1)]], slots: [[0, 0, 1]] })
    await overlay.putAccount(address(0))
    expect(dump(overlay, 1, 1)).toMatchObject([{ nonce: undefined, hasStorage: false }])
  })

  test('behavior: presented without code once, and stored with it', async () => {
    const { store, overlay } = over()
    const code = Uint8Array.of(1)
    await overlay.putCode(address(0), code)
    const hash = overlay.account(account(0))?.codeHash
    overlay.presentAsEoaOnce(account(0))
    expect((await overlay.getAccount(address(1)))?.codeHash).toBeUndefined()
    const sender = await overlay.getAccount(address(0))
    expect(sender?.isContract()).toBe(false)
    expect((await overlay.getAccount(address(0)))?.codeHash).toBe(hash)
    await overlay.putAccount(address(0), sender)
    expect(await overlay.getCode(address(0))).toEqual(code)
    overlay.presentAsEoaOnce(account(0))
    store.commit(overlay.takeDiff())
    overlay.reset(store.view())
    expect((await overlay.getAccount(address(0)))?.codeHash).toEqual(hash)
  })
})

describe('storage', () => {
  test('behavior: values come without leading zeros, and zero as no bytes', async () => {
    const { overlay } = over({ accounts: [[0, record(1)]] })
    const put = async (...value: number[]) => {
      await overlay.putStorage(address(0), key(0), Uint8Array.from(value))
      return [...(await overlay.getStorage(address(0), key(0)))]
    }
    expect(await put(0, 0, 1, 0)).toEqual([1, 0])
    expect(await put(0)).toEqual([])
    expect(await put(...new Array(31).fill(0), 9)).toEqual([9])
    expect(await put(...new Array(32).fill(0))).toEqual([])
    expect(await put(...new Array(32).fill(255))).toEqual(new Array(32).fill(255))
    expect(await put()).toEqual([])
  })

  test('behavior: the storage root tells only whether there is storage', async () => {
    const { overlay } = over({
      accounts: [[0, record(1)]],
      slots: [
        [0, 0, 1],
        [0, 1, 1],
      ],
    })
    const root = async () => (await overlay.getAccount(address(0)))?.storageRoot
    const before = await overlay.getAccount(address(0))
    expect(await root()).not.toEqual(KECCAK256_RLP)
    expect(await root()).toHaveLength(32)
    await overlay.putStorage(address(0), key(0), NONE)
    expect(await root()).not.toEqual(KECCAK256_RLP)
    await overlay.putStorage(address(0), key(1), NONE)
    expect(await root()).toBe(KECCAK256_RLP)
    await overlay.putStorage(address(0), key(2), Uint8Array.of(1))
    expect(await root()).not.toEqual(KECCAK256_RLP)
    await overlay.clearStorage(address(0))
    expect(await root()).toBe(KECCAK256_RLP)
    if (before === undefined) throw new Error('no account')
    before.storageRoot = new Uint8Array(32)
    expect(before.storageRoot).toEqual(new Uint8Array(32))
  })

  test('behavior: original values are those of the start of the transaction', async () => {
    const { store, overlay } = over({ accounts: [[0, record(1)]], slots: [[0, 0, 1]] })
    const original = async () => [...(await overlay.originalStorageCache.get(address(0), key(0)))]
    expect(await original()).toEqual([1])
    await overlay.checkpoint()
    await overlay.putStorage(address(0), key(0), Uint8Array.of(2))
    expect(await original()).toEqual([1])
    await overlay.commit()
    expect(await original()).toEqual([1])
    overlay.originalStorageCache.clear()
    expect(await original()).toEqual([2])
    await overlay.putStorage(address(0), key(0), Uint8Array.of(3))
    store.commit(overlay.takeDiff())
    overlay.reset(store.view())
    expect(await original()).toEqual([3])
    store.commit(diffOf({ slots: [[0, 0, 4]] }))
    overlay.reset(store.view())
    expect(await original()).toEqual([4])
  })

  test('behavior: a slot that is set makes its account, unless it is set to zero', () => {
    const { overlay } = over()
    overlay.setSlot(account(0), slot(0), Uint8Array.of(0))
    expect(overlay.isDirty).toBe(false)
    overlay.setSlot(account(0), slot(0), Uint8Array.of(1))
    expect(overlay.account(account(0))).toEqual(record(0))
  })
})

test('behavior: helpers create missing accounts', () => {
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

test('behavior: code reaches the shared codes only with the diff', () => {
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

test('behavior: overlay over an overlay', async () => {
  const { store, overlay: lower } = over({
    accounts: [[0, record(1)]],
    slots: [
      [0, 0, 1],
      [0, 1, 1],
    ],
  })
  lower.setCode(account(0), Uint8Array.of(1))
  lower.setSlot(account(0), slot(0), NONE)
  const upper = new Overlay(lower, store.codes, common)
  expect(await upper.getCode(address(0))).toEqual(Uint8Array.of(1))
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

test('behavior: a copy goes its own way', async () => {
  const { overlay } = over({ accounts: [[0, record(1)]], slots: [[0, 0, 1]] })
  overlay.setSlot(account(0), slot(1), Uint8Array.of(2))
  overlay.setCode(account(1), Uint8Array.of(1))
  const before = dump(overlay, 2, 2)
  const copy = overlay.shallowCopy()
  expect(dump(copy, 2, 2)).toEqual(before)
  expect(await copy.getCode(address(1))).toEqual(Uint8Array.of(1))
  copy.setSlot(account(0), slot(1), Uint8Array.of(3))
  copy.removeAccount(account(1))
  expect(dump(overlay, 2, 2)).toEqual(before)
  overlay.setSlot(account(0), slot(0), Uint8Array.of(4))
  expect(dump(copy, 2, 2)).toMatchObject([{ values: [[1], [3]] }, { nonce: undefined }])
})

test('behavior: no roots', async () => {
  const { overlay } = over()
  await expect(overlay.getStateRoot()).rejects.toThrow('StateTrie')
  await expect(overlay.setStateRoot()).rejects.toThrow('reset')
  expect(await overlay.hasStateRoot()).toBe(false)
  overlay.clearCaches()
})

/** A state for checkpoints to go back to. */
const checkpointed = {
  accounts: [[0, record(1)]],
  slots: [
    [0, 0, 1],
    [0, 1, 2],
  ],
} as const

test('behavior: a revert gives everything back', async () => {
  const { overlay } = over(checkpointed)
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
  const { overlay } = over(checkpointed)
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
  const { overlay } = over(checkpointed)
  await overlay.checkpoint()
  overlay.setSlot(account(0), slot(0), Uint8Array.of(6))
  overlay.setBalance(account(0), 1n)
  await overlay.revert()
  expect(overlay.isDirty).toBe(false)
  expect(overlay.takeDiff()).toEqual({ accounts: new Map(), storage: new Map() })
})

test('behavior: commit of the last checkpoint flushes nothing', async () => {
  const { store, overlay } = over(checkpointed)
  await overlay.checkpoint()
  overlay.setNonce(account(0), 2n)
  await overlay.commit()
  expect(store.view().account(account(0))).toEqual(record(1))
  expect(overlay.account(account(0))).toEqual(record(2))
})

test('behavior: changes are not taken while one is open', async () => {
  const { store, overlay } = over(checkpointed)
  await overlay.checkpoint()
  expect(() => overlay.takeDiff()).toThrow(StateUsageError)
  overlay.reset(store.view())
  expect(overlay.takeDiff().accounts.size).toBe(0)
  await expect(overlay.commit()).rejects.toThrow(StateUsageError)
  await expect(overlay.revert()).rejects.toThrow(StateUsageError)
})
