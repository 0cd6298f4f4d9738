import { verifyMerkleProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { KECCAK256_RLP } from '@ethereumjs/util'
import { expect, test } from 'vitest'
import { EMPTY_BYTES, textToBytes } from '../../../../devnet/primitives/bytes.ts'
import { addressKey } from '../../../../devnet/state/keys.ts'
import { StateTrie } from '../../../../devnet/state/trie/stateTrie.ts'
import type {
  AccountRecord,
  AddressKey,
  SlotKey,
  StateDiff,
  StorageDiff,
} from '../../../../devnet/state/types.ts'
import { account, diffOf, keccak256, newStore, record, slot, type Writes } from '../support.ts'

function chain() {
  const store = newStore()
  let trie = StateTrie.empty(keccak256)
  return (writes: Writes) => {
    const diff = diffOf(writes)
    trie = trie.apply(diff, store.view(store.commit(diff)))
    return trie
  }
}

test('default', () => {
  const commit = chain()
  const empty = StateTrie.empty(keccak256)
  expect(empty.root()).toEqual(KECCAK256_RLP)
  const first = commit({ accounts: [[0, record(1, 2)]], slots: [[0, 0, 3]] })
  const root = first.root()
  const second = commit({ accounts: [[0, record(2, 2)]] })
  expect(second.root()).not.toEqual(root)
  expect(second.storageRoot(account(0))).toEqual(first.storageRoot(account(0)))
  expect(commit({ accounts: [[0, record(1, 2)]] }).root()).toEqual(root)
  expect(commit({ accounts: [[0, null]] }).root()).toEqual(KECCAK256_RLP)
  expect(first.root()).toEqual(root)
})

test('an empty account is in the trie, a missing one is not', () => {
  const commit = chain()
  const root = commit({ accounts: [[0, record(0)]] }).root()
  expect(root).not.toEqual(KECCAK256_RLP)
  expect(commit({ accounts: [[1, null]] }).root()).toEqual(root)
})

test('on a fork block, deletions, zeros and clears count', () => {
  const store = newStore()
  const forkRoot = keccak256(Uint8Array.of(1))
  const fork = StateTrie.empty(keccak256, forkRoot)
  expect(fork.root()).toEqual(forkRoot)
  const rootOf = (...all: Writes[]) => {
    store.abandon(0)
    const trie = all.map(diffOf).reduce((before, diff) => {
      return before.apply(diff, store.view(store.commit(diff)))
    }, fork)
    return Buffer.from(trie.root()).toString('hex')
  }
  const states: Writes[][] = [
    [],
    [{ accounts: [[0, null]] }],
    [{ accounts: [[1, null]] }],
    [{ accounts: [[0, record(1)]] }],
    [{ accounts: [[0, null]] }, { accounts: [[0, record(1)]] }],
    [{ accounts: [[0, record(1)]], slots: [[0, 1, 0]] }],
    [{ accounts: [[0, record(1)]], slots: [[0, 1, 1]] }],
    [{ accounts: [[0, record(1)]], slots: [[0, 2, 0]] }],
    [{ accounts: [[0, record(1)]], cleared: [0], slots: [[0, 1, 1]] }],
  ]
  const roots = states.map((all) => rootOf(...all))
  expect(new Set(roots).size).toBe(states.length)
  expect(states.map((all) => rootOf(...all))).toEqual(roots)
  expect(rootOf({ accounts: [[0, null]] }, { accounts: [[0, record(1)]], cleared: [0] })).toBe(
    roots[4],
  )
})

test('storage of an account made again starts empty', () => {
  const commit = chain()
  const alone = commit({ accounts: [[0, record(1)]], slots: [[0, 1, 1]] }).storageRoot(account(0))
  commit({ slots: [[0, 2, 2]] })
  expect(commit({ cleared: [0], slots: [[0, 1, 1]] }).storageRoot(account(0))).toEqual(alone)
  commit({ accounts: [[0, null]] })
  const remade = commit({ accounts: [[0, record(1)]], slots: [[0, 1, 1]] })
  expect(remade.storageRoot(account(0))).toEqual(alone)
  expect(remade.storageRoot(account(1))).toEqual(KECCAK256_RLP)
})

test('without a change the same root, and no hash computed again', () => {
  const store = newStore()
  let hashes = 0
  const counting = (message: Uint8Array) => {
    hashes++
    return keccak256(message)
  }
  let trie = StateTrie.empty(counting)
  const commit = (writes: Writes) => {
    const diff = diffOf(writes)
    trie = trie.apply(diff, store.view(store.commit(diff)))
    return trie.root()
  }
  const writes = {
    accounts: Array.from({ length: 100 }, (_, index) => [index, record(index)] as const),
    slots: Array.from({ length: 100 }, (_, index) => [0, index, 1] as const),
  }
  const root = commit(writes)
  hashes = 0
  expect(commit(writes)).toEqual(root)
  expect(hashes).toBe(0)
  commit({ accounts: [[5, record(1000)]] })
  // The leaf and the branches above it.
  expect(hashes).toBeGreaterThan(1)
  expect(hashes).toBeLessThan(6)
})

test('proofs that the library verifies', async () => {
  const commit = chain()
  const accounts = Array.from({ length: 60 }, (_, index) => [index, record(index, 7)] as const)
  const slots = Array.from({ length: 60 }, (_, index) => [3, index, index] as const)
  const trie = commit({ accounts, slots })
  const options = { root: trie.root(), useKeyHashing: true }
  for (const index of [0, 3, 59]) {
    const proof = trie.accountProof(account(index))
    const value = await verifyMerkleProof(textToBytes(account(index)), proof, options)
    const [nonce, balance, storageRoot] = RLP.decode(value ?? new Uint8Array(0))
    expect(nonce).toEqual(index === 0 ? new Uint8Array(0) : Uint8Array.of(index))
    expect(balance).toEqual(Uint8Array.of(7))
    expect(storageRoot).toEqual(trie.storageRoot(account(index)))
  }
  const absent = trie.accountProof(account(60))
  expect(await verifyMerkleProof(textToBytes(account(60)), absent, options)).toBeNull()

  const storage = { root: trie.storageRoot(account(3)), useKeyHashing: true }
  const asked = [1, 30, 0, 60].map(slot)
  const proofs = trie.storageProof(account(3), asked)
  const values = await Promise.all(
    asked.map((key, index) => verifyMerkleProof(textToBytes(key), proofs[index] ?? [], storage)),
  )
  expect(values).toEqual([Uint8Array.of(1), Uint8Array.of(30), null, null])
  expect(trie.storageProof(account(4), [slot(1)])).toEqual([[]])
  expect(trie.storageProof(account(99), [slot(1)])).toEqual([[]])
  expect(StateTrie.empty(keccak256).accountProof(account(0))).toEqual([])
})

/** 3,000 accounts with keys all over the trie. */
function manyAccounts(nonce: number): Map<AddressKey, AccountRecord> {
  const keys = Array.from({ length: 3000 }, (_, index) => {
    const bytes = keccak256(Uint8Array.of(index >> 8, index & 0xff)).subarray(0, 20)
    return addressKey(bytes)
  })
  return new Map(keys.map((key) => [key, record(nonce)]))
}

function manySlots(value: number): Map<SlotKey, Uint8Array> {
  const values = Array.from({ length: 3000 }, (_, index) => [slot(index), value] as const)
  return new Map(values.map(([key, byte]) => [key, byte === 0 ? EMPTY_BYTES : Uint8Array.of(byte)]))
}

test('many changes make the same trie in pieces and one by one', () => {
  const store = newStore()
  const [inPieces, oneByOne] = [StateTrie.empty(keccak256), StateTrie.empty(keccak256)]
  let tries = [inPieces, oneByOne] as const
  const commit = (diff: StateDiff) => {
    const after = store.view(store.commit(diff))
    const [paced, single] = tries
    const work = paced.applyPaced(diff, after)
    let pauses = 0
    let step = work.next()
    for (; step.done !== true; step = work.next()) pauses++
    let next = single
    for (const [key, account] of diff.accounts) {
      const storage = new Map<AddressKey, StorageDiff>()
      next = next.apply({ accounts: new Map([[key, account]]), storage }, after)
    }
    for (const [key, { cleared, slots }] of diff.storage) {
      if (cleared) {
        const change = { cleared, slots: new Map<SlotKey, Uint8Array>() }
        next = next.apply({ accounts: new Map(), storage: new Map([[key, change]]) }, after)
      }
      for (const one of slots) {
        const change = { cleared: false, slots: new Map([one]) }
        next = next.apply({ accounts: new Map(), storage: new Map([[key, change]]) }, after)
      }
    }
    tries = [step.value, next]
    expect(step.value.root()).toEqual(next.root())
    return { pauses, trie: step.value }
  }
  const accounts = manyAccounts(1)
  const [owner = account(0), other = account(1), ...rest] = accounts.keys()
  const storage = new Map([
    [owner, { cleared: false, slots: manySlots(1) }],
    [other, { cleared: false, slots: manySlots(2) }],
  ])
  const first = commit({ accounts, storage })
  // Once for each account and slot, and between the pieces of each trie.
  expect(first.pauses).toBeGreaterThan(9000 + 3 * 5)
  const root = first.trie.root()
  const removed = rest.slice(0, 2900).map((key) => [key, null] as const)
  const second = commit({
    accounts: new Map(removed),
    storage: new Map([
      [owner, { cleared: true, slots: manySlots(3) }],
      [other, { cleared: false, slots: manySlots(0) }],
    ]),
  })
  expect(second.trie.storageRoot(other)).toEqual(KECCAK256_RLP)
  expect(second.trie.slot(owner, slot(7))).toEqual(Uint8Array.of(3))
  expect(second.trie.account(rest[0] ?? owner)).toBeNull()
  expect(first.trie.root()).toEqual(root)
})
