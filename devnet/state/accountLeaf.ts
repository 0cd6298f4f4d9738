import { textToBytes } from './latin1.ts'
import type { PersistentTrie, TrieValues } from './persistentTrie.ts'
import { encodeRlpList, encodeRlpString } from './rlpWriter.ts'
import type { AccountRecord, Keccak256 } from './types.ts'
import { bigIntToBytes } from './words.ts'

/**
 * What stands in a leaf of the account trie. The storage trie hangs on the leaf as an object, so that the account trie is
 * the map of storage tries too: as persistent as itself, nothing to copy from block to block, and gone with the last
 * root that holds it. Its root, and with it the encoding of the leaf, is made only when the leaf is hashed.
 */
export class AccountLeaf {
  readonly record: AccountRecord
  /** Slot values as text, without leading zeros. */
  readonly storage: PersistentTrie<string>

  constructor(record: AccountRecord, storage: PersistentTrie<string>) {
    this.record = record
    this.storage = storage
  }
}

/** Leaves of the account trie. */
export function accountValues(keccak256: Keccak256): TrieValues<AccountLeaf> {
  return {
    keccak256,
    encode: encodeAccount,
    same: (a, b) => a.record === b.record && a.storage === b.storage,
  }
}

/** Leaves of a storage trie. */
export function slotValues(keccak256: Keccak256): TrieValues<string> {
  return {
    keccak256,
    encode: (value) => encodeRlpString(textToBytes(value)),
    same: (a, b) => a === b,
  }
}

/** Room for any account. */
const scratch = new Uint8Array(160)

/** RLP of nonce, balance, storage root, code hash (yellow paper 4.1), in an array that is good until the next call. */
function encodeAccount({ record, storage }: AccountLeaf): Uint8Array {
  const root = storage.rootHash()
  const nonce = bigIntToBytes(record.nonce)
  return encodeRlpList([nonce, bigIntToBytes(record.balance), root, record.codeHash], scratch)
}
