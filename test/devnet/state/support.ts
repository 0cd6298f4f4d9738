import { keccak_256 } from '@noble/hashes/sha3.js'
import { Codes, EMPTY_CODE_HASH } from '../../../devnet/state/codes.ts'
import { addressKey, slotHex, slotKeyFromBigInt } from '../../../devnet/state/keys.ts'
import { VersionedStore } from '../../../devnet/state/store/versionedStore.ts'
import type {
  AccountRecord,
  AddressKey,
  SlotKey,
  StateDiff,
  StateReader,
} from '../../../devnet/state/types.ts'

export function keccak256(message: Uint8Array): Uint8Array {
  return keccak_256(message)
}

export function newStore(): VersionedStore {
  return new VersionedStore(new Codes(keccak256))
}

/** The account whose address ends with this byte. */
export function account(index: number): AddressKey {
  const bytes = new Uint8Array(20).fill(0xaa)
  bytes[19] = index
  return addressKey(bytes)
}

export function slot(index: number): SlotKey {
  return slotKeyFromBigInt(BigInt(index))
}

export function record(nonce: number, balance = 0): AccountRecord {
  return { nonce: BigInt(nonce), balance: BigInt(balance), codeHash: EMPTY_CODE_HASH }
}

export type Writes = {
  accounts?: readonly (readonly [index: number, record: AccountRecord | null])[]
  /** Values of one byte; 0 stands for zero. */
  slots?: readonly (readonly [account: number, slot: number, value: number])[]
  cleared?: readonly number[]
}

export function diffOf({ accounts = [], slots = [], cleared = [] }: Writes): StateDiff {
  const diff: StateDiff = { accounts: new Map(), storage: new Map() }
  for (const [index, value] of accounts) {
    diff.accounts.set(account(index), value)
    if (value === null) diff.storage.set(account(index), { cleared: true, slots: new Map() })
  }
  for (const index of cleared) {
    diff.storage.set(account(index), { cleared: true, slots: new Map() })
  }
  for (const [owner, index, value] of slots) {
    const key = account(owner)
    const change = diff.storage.get(key) ?? { cleared: false, slots: new Map() }
    change.slots.set(slot(index), oneByte(value))
    diff.storage.set(key, change)
  }
  return diff
}

function oneByte(value: number): Uint8Array {
  return value === 0 ? new Uint8Array(0) : Uint8Array.of(value)
}

/**
 * What the reader says of the accounts and slots with indexes below these; `listed` is slot, value,
 * sorted.
 */
export function dump(reader: StateReader, accounts: number, slots: number) {
  return Array.from({ length: accounts }, (_, index) => {
    const key = account(index)
    const { nonce, balance } = reader.account(key) ?? {}
    const values = Array.from({ length: slots }, (_, at) => [...reader.slot(key, slot(at))])
    const listed = [...reader.slots(key)]
      .map(([at, value]) => [Number(slotHex(at)), ...value])
      .sort()
    return { nonce, balance, values, listed, hasStorage: hasStorage(reader, key) }
  })
}

/** True if the account has a non-zero slot. */
export function hasStorage(reader: StateReader, key: AddressKey): boolean {
  return [...reader.slots(key)].length > 0
}
