// Time and memory of devnet/state: node --expose-gc test/bench/state.ts
import { loadCrypto } from '../../devnet/engine/crypto.ts'
import { Codes, EMPTY_CODE_HASH } from '../../devnet/state/codes.ts'
import { addressKey, slotKeyFromBigInt } from '../../devnet/state/keys.ts'
import { VersionedStore } from '../../devnet/state/store/versionedStore.ts'
import { StateTrie } from '../../devnet/state/trie/stateTrie.ts'
import type { AccountRecord, AddressKey, StateDiff } from '../../devnet/state/types.ts'

const { gc } = globalThis
if (gc === undefined) throw new Error('Run this with node --expose-gc')

const { keccak256 } = await loadCrypto()

/** Median of the µs that one of `count` calls takes, over 7 rounds after a warm-up. */
function time(name: string, count: number, work: (index: number) => unknown): void {
  const rounds: number[] = []
  for (let round = 0; round < 8; round++) {
    const start = performance.now()
    for (let index = 0; index < count; index++) work(index)
    rounds.push(((performance.now() - start) * 1000) / count)
  }
  const [median = 0] = rounds
    .slice(1)
    .sort((a, b) => a - b)
    .slice(3)
  print(name, median < 1 ? `${(median * 1000).toFixed(0)} ns` : `${median.toFixed(1)} µs`)
}

/** Bytes of heap that `work` adds per unit; its result is held meanwhile. */
function memory(name: string, units: number, work: () => unknown): void {
  gc?.()
  const before = process.memoryUsage()
  const result = work()
  gc?.()
  const after = process.memoryUsage()
  const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
  print(name, `${(bytes / units).toFixed(0)} bytes`)
  if (result === undefined) throw new Error('nothing was measured')
}

function print(name: string, figure: string): void {
  console.log(`${name.padEnd(64)}${figure.padStart(14)}`)
}

function address(index: number): AddressKey {
  const bytes = new Uint8Array(20)
  new DataView(bytes.buffer).setUint32(16, index + 1)
  return addressKey(bytes)
}

function record(nonce: number): AccountRecord {
  return { nonce: BigInt(nonce), balance: 10n ** 21n + BigInt(nonce), codeHash: EMPTY_CODE_HASH }
}

/** New records for the accounts from `first` on. */
function accountsDiff(first: number, count: number, nonce: number): StateDiff {
  const accounts = new Map<AddressKey, AccountRecord>()
  for (let index = 0; index < count; index++) accounts.set(address(first + index), record(nonce))
  return { accounts, storage: new Map() }
}

const RING = 8191n
const BEACON_ROOTS = address(1_000_000)
const BLOCK_HASHES = address(1_000_001)

/** What an empty block writes (EIP-4788, EIP-2935). */
function emptyBlockDiff(number: number): StateDiff {
  const hash = keccak256(Uint8Array.of(number, number >> 8, number >> 16))
  const time = BigInt(1_700_000_000 + 2 * number)
  const timeBytes = Uint8Array.from(Buffer.from(time.toString(16).padStart(8, '0'), 'hex'))
  return {
    accounts: new Map(),
    storage: new Map([
      [
        BEACON_ROOTS,
        {
          cleared: false,
          slots: new Map([
            [slotKeyFromBigInt(time % RING), timeBytes],
            [slotKeyFromBigInt((time % RING) + RING), hash],
          ]),
        },
      ],
      [
        BLOCK_HASHES,
        { cleared: false, slots: new Map([[slotKeyFromBigInt(BigInt(number) % RING), hash]]) },
      ],
    ]),
  }
}

/** A chain of `accounts` accounts and the two system contracts. */
function genesis(accounts: number) {
  const store = new VersionedStore(new Codes(keccak256))
  const diff = accountsDiff(0, accounts, 0)
  diff.accounts.set(BEACON_ROOTS, record(1))
  diff.accounts.set(BLOCK_HASHES, record(1))
  const version = store.commit(diff)
  const trie = StateTrie.empty(keccak256).apply(diff, store.view(version))
  trie.root()
  return { store, trie }
}

function reads(): void {
  const { store } = genesis(10_000)
  const keys = Array.from({ length: 10_000 }, (_, index) => address(index))
  const first = store.view()
  for (let version = 0; version < 1000; version++) store.commit(accountsDiff(0, 20, version + 1))
  const head = store.view()
  const old = store.view(500)
  let sink = 0n
  const readAll = (view: typeof head) => (index: number) => {
    const key = keys[index % 10_000]
    if (key !== undefined) sink += view.account(key)?.nonce ?? 0n
  }
  const readHot = (view: typeof head) => (index: number) => {
    const key = keys[index % 20]
    if (key !== undefined) sink += view.account(key)?.nonce ?? 0n
  }
  time('read at the head, 10,000 accounts', 1_000_000, readAll(head))
  time('read at the head, account with 1,000 versions', 1_000_000, readHot(head))
  time('read 500 versions back, account with 1,000 versions', 1_000_000, readHot(old))
  time('read 1,000 versions back, account with 1,000 versions', 1_000_000, readHot(first))
  if (sink === 0n) throw new Error('nothing was read')
}

function accounts(): void {
  const { store, trie: first } = genesis(10_000)
  let trie = first
  let nonce = 0
  const diffs = Array.from({ length: 160 }, () => accountsDiff(0, 1000, ++nonce))
  time('commit of 1,000 accounts, without making the diff', 20, () => {
    const diff = diffs.pop()
    if (diff !== undefined) store.commit(diff)
  })
  time('making that diff alone', 20, () => accountsDiff(0, 1000, ++nonce))
  time('1,000 account updates and root, 10,000 accounts', 20, (index) => {
    const diff = accountsDiff((index * 1000) % 10_000, 1000, ++nonce)
    trie = trie.apply(diff, store.view(store.commit(diff)))
    trie.root()
  })
  memory('version of an account, store only', 1_000_000, () => {
    for (let round = 0; round < 1000; round++) store.commit(accountsDiff(0, 1000, ++nonce))
    return store
  })
  const some = address(17)
  time('account proof, 10,000 accounts', 1000, () => trie.accountProof(some))
}

function emptyBlocks(): void {
  const { store, trie: first } = genesis(40)
  let trie = first
  let number = 0
  const step = () => {
    const diff = emptyBlockDiff(++number)
    trie = trie.apply(diff, store.view(store.commit(diff)))
    trie.root()
  }
  time('empty block (three slots in two accounts) and root, first blocks', 1000, step)
  time('making that diff alone', 1000, () => emptyBlockDiff(++number))
  for (let index = 0; index < 12_000; index++) step()
  const states: StateTrie[] = []
  memory('empty block, 20,000 blocks, store and trie, all roots kept', 20_000, () => {
    for (let index = 0; index < 20_000; index++) {
      step()
      states.push(trie)
    }
    return states
  })
  time('empty block and root, after 20,000 blocks', 1000, step)
  let storeOnly = genesis(40).store
  memory('empty block, 20,000 blocks, store alone', 20_000, () => {
    for (let index = 0; index < 20_000; index++) storeOnly.commit(emptyBlockDiff(index))
    return storeOnly
  })
  storeOnly = genesis(40).store
  memory('the same, all but 100 blocks forgotten', 20_000, () => {
    for (let index = 0; index < 20_000; index++) {
      storeOnly.commit(emptyBlockDiff(index))
      if (index > 100) storeOnly.forgetBefore(storeOnly.head - 100)
    }
    return storeOnly
  })
}

function slots(): void {
  const { store } = genesis(1)
  const owner = address(0)
  let value = 0
  const step = () => {
    const slots = new Map()
    value++
    for (let index = 0; index < 1000; index++) {
      slots.set(
        slotKeyFromBigInt(BigInt(index)),
        keccak256(Uint8Array.of(value, value >> 8, index)),
      )
    }
    store.commit({ accounts: new Map(), storage: new Map([[owner, { cleared: false, slots }]]) })
  }
  step()
  memory('version of a slot of 32 bytes, store only', 200_000, () => {
    for (let round = 0; round < 200; round++) step()
    return store
  })
}

reads()
accounts()
slots()
emptyBlocks()
