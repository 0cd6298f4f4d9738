import type { PrefetchChanges } from './remote/prefetchChanges.ts'
import type { PrefetchedCall, RemoteKeys } from './remote/remoteSource.ts'

/** 20 address bytes as a latin-1 string: half as long as hexadecimal, made in one native call. */
export type AddressKey = string & { readonly __brand: 'AddressKey' }

/** The 32 bytes of a storage slot's number as a latin-1 string. */
export type SlotKey = string & { readonly __brand: 'SlotKey' }

/** An account without its storage. Immutable. */
export interface AccountRecord {
  readonly nonce: bigint
  /** In wei. */
  readonly balance: bigint
  /** keccak-256 of the code. Without code it is the object `EMPTY_CODE_HASH`, never a copy. */
  readonly codeHash: Uint8Array
}

/** Reads one state: a version of the store, or scratch changes on top of one. */
export interface StateReader {
  /** `null` if the account does not exist. */
  account(key: AddressKey): AccountRecord | null
  /** The slot's value without leading zeros; an empty array means zero. */
  slot(key: AddressKey, slot: SlotKey): Uint8Array
  /**
   * True if the account has storage since the genesis block, or in the state of a fork block, as
   * far as that is known: no contract is created there (EIP-7610). Slots that commands and
   * overrides lay in do not count.
   */
  hasOldStorage(key: AddressKey): boolean
  /** The non-zero slots of the account, in no particular order. */
  slots(key: AddressKey): Iterable<readonly [SlotKey, Uint8Array]>
  /** The code with this hash, always the same object; empty if unknown. */
  code(codeHash: Uint8Array): Uint8Array
  /** Present if values may have to be fetched before they are read. */
  readonly lazyReads?: LazyReads | undefined
}

/**
 * Says of each value whether a read would know it: `undefined`, or a promise of when it will. An
 * execution waits for the promise before it reads the value.
 */
export interface LazyReads {
  account(key: AddressKey): Promise<void> | undefined
  slot(key: AddressKey, slot: SlotKey): Promise<void> | undefined
  code(codeHash: Uint8Array): Promise<void> | undefined
  /** The same for several values, which are fetched together. */
  all(keys: RemoteKeys): Promise<void> | undefined
  /**
   * To be called with each miss of a call: what else it is going to read is fetched too, if there
   * is a way to tell.
   *
   * @param changes - what was changed above; a reader below adds to it
   */
  prefetch?(call: PrefetchedCall, changes?: () => PrefetchChanges): void
}

/** Storage changes of one account. If `cleared`, old slots are dropped before `slots` are set. */
export interface StorageDiff {
  cleared: boolean
  readonly slots: Map<SlotKey, Uint8Array>
}

/** All changes of one version, e.g. of a tick. */
export interface StateDiff {
  /** `null` deletes the account; `storage` then has an entry that clears its slots. */
  readonly accounts: Map<AddressKey, AccountRecord | null>
  readonly storage: Map<AddressKey, StorageDiff>
}

/** Number of a version of the store; rises with every commit and is never reused. */
export type Version = number

/** keccak-256. */
export interface Keccak256 {
  /** Returns a new array each time. */
  (message: Uint8Array): Uint8Array
  /** The same without making arrays, if the implementation has it. */
  readonly buffer?: HashBuffer
}

/** Hashes a message that is written into it. */
export interface HashBuffer {
  /** For the message. */
  readonly input: Uint8Array
  /** The same bytes. */
  readonly inputView: DataView
  /** Hashes the first `length` bytes of the input. The result is valid until the next hash. */
  hash(length: number): DataView
}
