import { Common, Mainnet } from '@ethereumjs/common'
import { Account, Address, KECCAK256_NULL, KECCAK256_RLP } from '@ethereumjs/util'
import { describe, expect, test } from 'vitest'
import { loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { LibraryState } from '../../../../devnet/engine/library/libraryState.ts'
import { textToBytes } from '../../../../devnet/primitives/bytes.ts'
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
} from '../../state/support.ts'
import { rulesOf } from '../programRules.ts'
import { createLibraryMachine } from './libraryMachine.ts'

const common = new Common({ chain: Mainnet })
const NONE = new Uint8Array(0)

const address = (index: number) => new Address(textToBytes(account(index)))
const key = (index: number) => textToBytes(slot(index))

function over(writes: Writes = {}) {
  const store = newStore()
  store.commit(diffOf(writes))
  const overlay = new Overlay(store.view(), store.codes)
  return { store, overlay, library: new LibraryState(overlay, common) }
}

test('default', async () => {
  const { store, overlay, library } = over({ accounts: [[0, record(1, 5)]], slots: [[0, 0, 1]] })
  await library.putAccount(address(0), new Account(2n, 6n))
  await library.putStorage(address(0), key(1), Uint8Array.of(0, 0, 7))
  await library.putCode(address(1), Uint8Array.of(0xfe))
  expect(store.view().account(account(0))).toEqual(record(1, 5))
  const diff = overlay.takeDiff()
  expect(diff.accounts.size).toBe(2)
  expect(overlay.takeDiff()).toEqual({ accounts: new Map(), storage: new Map() })
  expect(overlay.account(account(0))).toEqual(record(1, 5))
  store.commit(diff)
  const view = store.view()
  expect(dump(view, 1, 2)).toMatchObject([{ nonce: 2n, balance: 6n, values: [[1], [7]] }])
  const contract = view.account(account(1))
  expect(contract).toEqual({ nonce: 0n, balance: 0n, codeHash: keccak256(Uint8Array.of(0xfe)) })
  expect(view.code(contract?.codeHash ?? NONE)).toEqual(Uint8Array.of(0xfe))
})

describe('accounts', () => {
  test('a new object each time, and copied when put', async () => {
    const { library } = over({ accounts: [[0, record(1, 5)]] })
    const first = await library.getAccount(address(0))
    if (first === undefined) throw new Error('no account')
    first.balance -= 3n
    expect(await library.getAccount(address(0))).toMatchObject({ nonce: 1n, balance: 5n })
    await library.putAccount(address(0), first)
    first.balance = 99n
    expect((await library.getAccount(address(0)))?.balance).toBe(2n)
  })

  test('undefined if there is none', async () => {
    const { library } = over()
    expect(await library.getAccount(address(0))).toBeUndefined()
    expect(await library.getCode(address(0))).toEqual(NONE)
    expect(await library.getCodeSize(address(0))).toBe(0)
    expect(await library.getStorage(address(0), key(0))).toEqual(NONE)
  })

  test('putAccount keeps the code, modifyAccountFields can change it', async () => {
    const { overlay, library } = over()
    const code = Uint8Array.of(1, 2)
    await library.putCode(address(0), code)
    await library.putAccount(address(0), new Account(1n, 1n))
    expect(await library.getCode(address(0))).toEqual(code)
    expect(await library.getCodeSize(address(0))).toBe(2)
    await library.modifyAccountFields(address(0), { balance: 0n })
    expect(await library.getAccount(address(0))).toMatchObject({ nonce: 1n, balance: 0n })
    expect(await library.getCode(address(0))).toEqual(code)
    await library.modifyAccountFields(address(0), { codeHash: KECCAK256_NULL, nonce: 4n })
    expect(overlay.account(account(0))).toEqual(record(4))
    expect(overlay.account(account(0))?.codeHash).toBe(EMPTY_CODE_HASH)
  })

  test('records without code hold the one empty hash', async () => {
    const { overlay, library } = over()
    await library.putAccount(address(0), new Account())
    await library.putAccount(address(1), new Account(0n, 0n, KECCAK256_RLP, KECCAK256_NULL.slice()))
    await library.putCode(address(2), Uint8Array.of(1))
    await library.putCode(address(2), NONE)
    await library.modifyAccountFields(address(3), { nonce: 1n })
    for (const index of [0, 1, 2, 3]) {
      expect(overlay.account(account(index))?.codeHash).toBe(EMPTY_CODE_HASH)
    }
  })

  test('a deleted account loses code and storage, even if it is made again', async () => {
    const { store, overlay, library } = over({ accounts: [[0, record(1)]], slots: [[0, 0, 1]] })
    await library.putCode(address(0), Uint8Array.of(1))
    await library.deleteAccount(address(0))
    expect(await library.getAccount(address(0))).toBeUndefined()
    expect(await library.getCode(address(0))).toEqual(NONE)
    await library.putAccount(address(0), new Account(1n, 0n))
    expect(await library.getStorage(address(0), key(0))).toEqual(NONE)
    expect(await library.getCode(address(0))).toEqual(NONE)
    store.commit(overlay.takeDiff())
    expect(dump(store.view(), 1, 1)).toMatchObject([{ nonce: 1n, hasStorage: false }])
  })

  test('putAccount without an account deletes', async () => {
    const { overlay, library } = over({ accounts: [[0, record(1)]], slots: [[0, 0, 1]] })
    await library.putAccount(address(0))
    expect(dump(overlay, 1, 1)).toMatchObject([{ nonce: undefined, hasStorage: false }])
  })

  test('presented without code once, and stored with it', async () => {
    const { store, overlay, library } = over()
    const code = Uint8Array.of(1)
    await library.putCode(address(0), code)
    const hash = overlay.account(account(0))?.codeHash
    overlay.presentAsEoaOnce(account(0))
    expect((await library.getAccount(address(1)))?.codeHash).toBeUndefined()
    const sender = await library.getAccount(address(0))
    expect(sender?.isContract()).toBe(false)
    expect((await library.getAccount(address(0)))?.codeHash).toBe(hash)
    await library.putAccount(address(0), sender)
    expect(await library.getCode(address(0))).toEqual(code)
    overlay.presentAsEoaOnce(account(0))
    store.commit(overlay.takeDiff())
    overlay.reset(store.view())
    expect((await library.getAccount(address(0)))?.codeHash).toEqual(hash)
  })
})

describe('storage', () => {
  test('values come without leading zeros, and zero as no bytes', async () => {
    const { library } = over({ accounts: [[0, record(1)]] })
    const put = async (...value: number[]) => {
      await library.putStorage(address(0), key(0), Uint8Array.from(value))
      return [...(await library.getStorage(address(0), key(0)))]
    }
    expect(await put(0, 0, 1, 0)).toEqual([1, 0])
    expect(await put(0)).toEqual([])
    expect(await put(...new Array(31).fill(0), 9)).toEqual([9])
    expect(await put(...new Array(32).fill(0))).toEqual([])
    expect(await put(...new Array(32).fill(255))).toEqual(new Array(32).fill(255))
    expect(await put()).toEqual([])
  })

  test('the storage root tells only whether there is storage of the genesis block', async () => {
    const { library, overlay, store } = over({
      accounts: [[0, record(1)]],
      slots: [
        [0, 0, 1],
        [0, 1, 1],
      ],
    })
    const root = async () => (await library.getAccount(address(0)))?.storageRoot
    const before = await library.getAccount(address(0))
    expect(await root()).toBe(KECCAK256_RLP)
    store.noteGenesis(store.head)
    overlay.reset(store.view())
    expect(await root()).not.toEqual(KECCAK256_RLP)
    expect(await root()).toHaveLength(32)
    await library.putStorage(address(0), key(0), NONE)
    expect(await root()).not.toEqual(KECCAK256_RLP)
    await library.putStorage(address(0), key(1), NONE)
    expect(await root()).not.toEqual(KECCAK256_RLP)
    await library.clearStorage(address(0))
    expect(await root()).toBe(KECCAK256_RLP)
    if (before === undefined) throw new Error('no account')
    before.storageRoot = new Uint8Array(32)
    expect(before.storageRoot).toEqual(new Uint8Array(32))
  })

  test('original values are those of the start of the transaction', async () => {
    const { store, overlay, library } = over({ accounts: [[0, record(1)]], slots: [[0, 0, 1]] })
    const original = async () => [...(await library.originalStorageCache.get(address(0), key(0)))]
    expect(await original()).toEqual([1])
    await library.checkpoint()
    await library.putStorage(address(0), key(0), Uint8Array.of(2))
    expect(await original()).toEqual([1])
    await library.commit()
    expect(await original()).toEqual([1])
    library.originalStorageCache.clear()
    expect(await original()).toEqual([2])
    await library.putStorage(address(0), key(0), Uint8Array.of(3))
    store.commit(overlay.takeDiff())
    overlay.reset(store.view())
    library.originalStorageCache.clear()
    expect(await original()).toEqual([3])
  })
})

test('a machine over another state forgets the original values', async () => {
  const { common } = rulesOf('prague', await loadCrypto())
  const store = newStore()
  const view = (value: number) => {
    return store.view(store.commit(diffOf({ accounts: [[0, record(1)]], slots: [[0, 0, value]] })))
  }
  const machine = await createLibraryMachine(common, store.codes, view(1))
  const { originalStorageCache } = machine.vm.stateManager
  const original = async () => [...(await originalStorageCache.get(address(0), key(0)))]
  expect(await original()).toEqual([1])
  machine.reset(view(4), () => new Uint8Array(32))
  expect(await original()).toEqual([4])
})

test('no roots', async () => {
  const { library } = over()
  await expect(library.getStateRoot()).rejects.toThrow('StateTrie')
  await expect(library.setStateRoot()).rejects.toThrow('reset')
  expect(await library.hasStateRoot()).toBe(false)
  library.clearCaches()
})
