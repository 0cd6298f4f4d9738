import { bigIntToBytes } from '../primitives/bytes.ts'
import { fromHex, type Hex } from '../primitives/hex.ts'
import { encodeRlpList } from '../primitives/rlp.ts'
import { IndexTrie } from '../state/trie/indexTrie.ts'
import { EMPTY_ROOT } from '../state/trie/persistentTrie.ts'
import type { Keccak256 } from '../state/types.ts'

/** A withdrawal from the beacon chain (EIP-4895). */
export interface Withdrawal {
  readonly index: bigint
  readonly validatorIndex: bigint
  readonly address: Hex
  /** gwei. */
  readonly amount: bigint
}

/** The fields in the order in which they are encoded. */
export function withdrawalFields(withdrawal: Withdrawal): Uint8Array[] {
  return [
    bigIntToBytes(withdrawal.index),
    bigIntToBytes(withdrawal.validatorIndex),
    fromHex(withdrawal.address),
    bigIntToBytes(withdrawal.amount),
  ]
}

export function withdrawalsRoot(
  withdrawals: readonly Withdrawal[],
  keccak256: Keccak256,
): Uint8Array {
  if (withdrawals.length === 0) return EMPTY_ROOT
  const encoded = withdrawals.map((one) => encodeRlpList(withdrawalFields(one)))
  return IndexTrie.empty(keccak256).append(encoded, 0).rootHash()
}
