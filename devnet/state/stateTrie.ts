import { AccountLeaf, accountValues, slotValues } from './accountLeaf.ts'
import { EMPTY_BYTES } from './codes.ts'
import { HashedKeys } from './hashedKeys.ts'
import { bytesToText, textToBytes } from './latin1.ts'
import { EMPTY_ROOT, PersistentTrie } from './persistentTrie.ts'
import type {
  AccountRecord,
  AddressKey,
  Keccak256,
  SlotKey,
  StateDiff,
  StateReader,
  StorageDiff,
} from './types.ts'

/** The Merkle tries of one state: accounts, and the storage of each. Immutable; hashed when a root is asked for. */
export class StateTrie {
  readonly #accounts: PersistentTrie<AccountLeaf>
  readonly #noStorage: PersistentTrie<string>
  readonly #hashed: HashedKeys

  private constructor(
    accounts: PersistentTrie<AccountLeaf>,
    noStorage: PersistentTrie<string>,
    hashed: HashedKeys,
  ) {
    this.#accounts = accounts
    this.#noStorage = noStorage
    this.#hashed = hashed
  }

  /** The tries of the state without accounts. */
  static empty(keccak256: Keccak256): StateTrie {
    return new StateTrie(
      PersistentTrie.empty(accountValues(keccak256)),
      PersistentTrie.empty(slotValues(keccak256)),
      new HashedKeys(keccak256),
    )
  }

  /**
   * The tries after `diff`. An account is in them if it has a record, also an empty one (EIP-161 is the engine's affair).
   *
   * @param after - the state with `diff` in it, for the records of accounts of which only the storage changed
   */
  apply(diff: StateDiff, after: StateReader): StateTrie {
    const entries: [string, AccountLeaf | null][] = []
    for (const key of diff.accounts.keys()) {
      entries.push(this.#entry(key, diff.storage.get(key), after))
    }
    for (const [key, change] of diff.storage) {
      if (!diff.accounts.has(key)) entries.push(this.#entry(key, change, after))
    }
    return new StateTrie(this.#accounts.update(entries), this.#noStorage, this.#hashed)
  }

  /** 32 bytes. */
  root(): Uint8Array {
    return this.#accounts.rootHash()
  }

  /** 32 bytes; that of the empty trie also where there is no account. */
  storageRoot(key: AddressKey): Uint8Array {
    return this.#leaf(key)?.storage.rootHash() ?? EMPTY_ROOT
  }

  /** `null` where there is no account. */
  account(key: AddressKey): AccountRecord | null {
    return this.#leaf(key)?.record ?? null
  }

  /** The value without leading zeros; the empty array is zero. */
  slot(key: AddressKey, slot: SlotKey): Uint8Array {
    const text = this.#leaf(key)?.storage.get(this.#hashed.of(slot))
    return text === undefined ? EMPTY_BYTES : textToBytes(text)
  }

  /** Encoded nodes from the root on (EIP-1186). */
  accountProof(key: AddressKey): Uint8Array[] {
    return this.#accounts.proof(this.#hashed.of(key))
  }

  /** For each slot the encoded nodes from the storage root on (EIP-1186); none where there is no storage. */
  storageProof(key: AddressKey, slots: readonly SlotKey[]): Uint8Array[][] {
    const storage = this.#leaf(key)?.storage ?? this.#noStorage
    return slots.map((slot) => storage.proof(this.#hashed.of(slot)))
  }

  #leaf(key: AddressKey): AccountLeaf | undefined {
    return this.#accounts.get(this.#hashed.of(key))
  }

  #entry(
    key: AddressKey,
    change: StorageDiff | undefined,
    after: StateReader,
  ): [string, AccountLeaf | null] {
    const hashed = this.#hashed.of(key)
    const record = after.account(key)
    if (record === null) return [hashed, null]
    const before = this.#accounts.get(hashed)
    return [hashed, new AccountLeaf(record, this.#storageAfter(before, change))]
  }

  #storageAfter(
    before: AccountLeaf | undefined,
    change: StorageDiff | undefined,
  ): PersistentTrie<string> {
    const storage =
      before === undefined || change?.cleared === true ? this.#noStorage : before.storage
    if (change === undefined || change.slots.size === 0) return storage
    const entries: [string, string | null][] = []
    for (const [slot, value] of change.slots) {
      entries.push([this.#hashed.of(slot), value.length === 0 ? null : bytesToText(value)])
    }
    return storage.update(entries)
  }
}
