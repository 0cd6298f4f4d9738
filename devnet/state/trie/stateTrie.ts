import {
  bytesToText,
  concatBytes,
  EMPTY_BYTES,
  textToBytes,
  writeText,
} from '../../primitives/bytes.ts'
import { type Paced, runAtOnce } from '../../primitives/paced.ts'
import {
  RLP_LIST,
  RLP_STRING,
  rlpListLength,
  rlpNumberLength,
  writeRlpHead,
  writeRlpNumber,
  writeRlpString,
} from '../../primitives/rlp.ts'
import { EMPTY_ACCOUNT } from '../accounts.ts'
import { changedAccounts } from '../diffs.ts'
import type {
  AccountRecord,
  AddressKey,
  HashBuffer,
  Keccak256,
  SlotKey,
  StateDiff,
  StateReader,
  StorageDiff,
} from '../types.ts'
import { EMPTY_ROOT, hashBufferOf, PersistentTrie } from './persistentTrie.ts'
import type { Entry } from './trieUpdate.ts'

/**
 * The Merkle tries of one state: accounts and their storage. Immutable; hashed lazily.
 *
 * On a forked chain, whose tries are not known, they hold what was changed there, deletions and
 * zeros included. The root is a stand-in, which differs if the changes do, and proves nothing.
 */
export class StateTrie {
  readonly #accounts: PersistentTrie<AccountLeaf>
  readonly #noStorage: PersistentTrie<string>
  readonly #hashed: HashedKeys
  /** Of the fork block; `undefined` if the tries hold the whole state. */
  readonly #fork: ForkRoot | undefined

  private constructor(
    accounts: PersistentTrie<AccountLeaf>,
    noStorage: PersistentTrie<string>,
    hashed: HashedKeys,
    fork: ForkRoot | undefined,
  ) {
    this.#accounts = accounts
    this.#noStorage = noStorage
    this.#hashed = hashed
    this.#fork = fork
  }

  /** @param forkRoot - the state root of the block that is forked; default: the state is empty */
  static empty(keccak256: Keccak256, forkRoot?: Uint8Array): StateTrie {
    return new StateTrie(
      PersistentTrie.empty<AccountLeaf>({
        keccak256,
        length: accountLength,
        write: writeAccount,
        same: (a, b) => a.record === b.record && a.storage === b.storage,
      }),
      PersistentTrie.empty<string>({
        keccak256,
        length: (value) => (isOwnEncoding(value) ? 1 : 1 + value.length),
        write: writeSlot,
        same: (a, b) => a === b,
      }),
      new HashedKeys(hashBufferOf(keccak256)),
      forkRoot && { root: forkRoot, keccak256 },
    )
  }

  /**
   * Returns the tries after `diff`. They contain every account that has a record, even if it is
   * empty: removing empty accounts (EIP-161) is left to the engine.
   *
   * @param after - the state after `diff`, from which account records are read
   */
  apply(diff: StateDiff, after: StateReader): StateTrie {
    return runAtOnce(this.applyPaced(diff, after))
  }

  /** As {@link apply}. If much changes, the new nodes are hashed along the way. */
  *applyPaced(diff: StateDiff, after: StateReader): Paced<StateTrie> {
    const entries: Entry<AccountLeaf>[] = []
    for (const key of changedAccounts(diff)) {
      const hashed = this.#hashed.of(key)
      const record = after.account(key)
      if (record === null && this.#fork === undefined) {
        entries.push([hashed, null])
      } else {
        const before = this.#accounts.get(hashed)
        const change = record === null ? NO_STORAGE : diff.storage.get(key)
        const storage =
          change === undefined
            ? (before?.storage ?? this.#noStorage)
            : yield* this.#storageAfter(before, change)
        entries.push([hashed, new AccountLeaf(record ?? EMPTY_ACCOUNT, storage)])
      }
      yield
    }
    const accounts = yield* this.#accounts.updatePaced(entries)
    return new StateTrie(accounts, this.#noStorage, this.#hashed, this.#fork)
  }

  /** 32 bytes. */
  root(): Uint8Array {
    const root = this.#accounts.rootHash()
    if (this.#fork === undefined) return root
    return root === EMPTY_ROOT
      ? this.#fork.root
      : this.#fork.keccak256(concatBytes(this.#fork.root, root))
  }

  /** 32 bytes; {@link EMPTY_ROOT} if there is no account. */
  storageRoot(key: AddressKey): Uint8Array {
    return this.#leaf(key)?.storage.rootHash() ?? EMPTY_ROOT
  }

  /** `null` if there is no account. */
  account(key: AddressKey): AccountRecord | null {
    return this.#leaf(key)?.record ?? null
  }

  /** The slot's value without leading zeros; an empty array means zero. */
  slot(key: AddressKey, slot: SlotKey): Uint8Array {
    const text = this.#leaf(key)?.storage.get(this.#hashed.of(slot))
    return text === undefined ? EMPTY_BYTES : textToBytes(text)
  }

  /** RLP of the nodes from the root towards the account (EIP-1186). */
  accountProof(key: AddressKey): Uint8Array[] {
    return this.#accounts.proof(this.#hashed.of(key))
  }

  /** For each slot, RLP of the nodes from the storage root (EIP-1186); none without storage. */
  storageProof(key: AddressKey, slots: readonly SlotKey[]): Uint8Array[][] {
    const storage = this.#leaf(key)?.storage ?? this.#noStorage
    return slots.map((slot) => storage.proof(this.#hashed.of(slot)))
  }

  #leaf(key: AddressKey): AccountLeaf | undefined {
    return this.#accounts.get(this.#hashed.of(key))
  }

  *#storageAfter(
    before: AccountLeaf | undefined,
    change: StorageDiff,
  ): Paced<PersistentTrie<string>> {
    const storage = before === undefined || change.cleared ? this.#noStorage : before.storage
    const hidesFork = this.#fork !== undefined
    const entries: Entry<string>[] = hidesFork && change.cleared ? [[CLEARED, '']] : []
    for (const [slot, value] of change.slots) {
      const isBlank = value.length === 0 && !hidesFork
      entries.push([this.#hashed.of(slot), isBlank ? null : bytesToText(value)])
      yield
    }
    if (entries.length === 0) return storage
    const after = yield* storage.updatePaced(entries)
    // Hashed here, where pauses are possible: one range of leaves may have very many slots.
    after.rootHash()
    return after
  }
}

interface ForkRoot {
  readonly root: Uint8Array
  readonly keccak256: Keccak256
}

/** Key of a leaf that says that the storage was cleared: no hash of a slot that anyone knows. */
const CLEARED = '\xff'.repeat(32)

/** The storage of a deleted account. */
const NO_STORAGE: StorageDiff = { cleared: true, slots: new Map() }

/** Keys per generation. Two generations take at most 5 MB: the hot keys of 10,000 accounts. */
const GENERATION = 16_384

/**
 * Makes the keys of the tries by hashing addresses and slots. Caches recent hashes in two
 * generations: when the young one is full, it replaces the old one.
 */
class HashedKeys {
  readonly #buffer: HashBuffer
  #young = new Map<AddressKey | SlotKey, string>()
  #old = new Map<AddressKey | SlotKey, string>()

  constructor(buffer: HashBuffer) {
    this.#buffer = buffer
  }

  /** keccak-256 of the key's bytes, as latin-1 text. */
  of(key: AddressKey | SlotKey): string {
    const known = this.#young.get(key)
    if (known !== undefined) return known
    const hashed = this.#old.get(key) ?? this.#hash(key)
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, hashed)
    return hashed
  }

  #hash(key: AddressKey | SlotKey): string {
    const { input } = this.#buffer
    writeText(input, key, 0)
    const { buffer, byteOffset } = this.#buffer.hash(key.length)
    return bytesToText(new Uint8Array(buffer, byteOffset, HASH_LENGTH))
  }
}

/**
 * A leaf of the account trie. It refers to the storage trie itself, so no map of storage tries is
 * copied from block to block, and old tries are garbage collected with the last root that refers to
 * them.
 */
class AccountLeaf {
  readonly record: AccountRecord
  /** Slot values as text, without leading zeros. */
  readonly storage: PersistentTrie<string>

  constructor(record: AccountRecord, storage: PersistentTrie<string>) {
    this.record = record
    this.storage = storage
  }
}

/** Length of the RLP of nonce, balance, storage root, code hash (yellow paper 4.1). */
function accountLength({ record, storage }: AccountLeaf): number {
  // Hash the storage now: `write` must not hash.
  storage.rootHash()
  return rlpListLength(accountContent(record))
}

function accountContent({ nonce, balance }: AccountRecord): number {
  return rlpNumberLength(nonce) + rlpNumberLength(balance) + 2 * (1 + HASH_LENGTH)
}

function writeAccount(
  { record, storage }: AccountLeaf,
  target: Uint8Array,
  offset: number,
): number {
  let end = writeRlpHead(target, offset, RLP_LIST, accountContent(record))
  end = writeRlpNumber(target, end, record.nonce)
  end = writeRlpNumber(target, end, record.balance)
  end = writeRlpString(target, end, storage.rootHash())
  return writeRlpString(target, end, record.codeHash)
}

const HASH_LENGTH = 32

/** True if the RLP of a slot's value is the value itself: one byte below 0x80. */
function isOwnEncoding(value: string): boolean {
  return value.length === 1 && value.charCodeAt(0) < RLP_STRING
}

function writeSlot(value: string, target: Uint8Array, offset: number): number {
  let end = isOwnEncoding(value) ? offset : writeRlpHead(target, offset, RLP_STRING, value.length)
  for (let index = 0; index < value.length; index++) target[end++] = value.charCodeAt(index)
  return end
}
