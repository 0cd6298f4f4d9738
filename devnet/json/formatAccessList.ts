import { padTo32 } from '../primitives/bytes.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import { type AccessChange, decodeBlockAccessList } from '../protocol/blockAccessList.ts'

/** An account in the answer of `eth_getBlockAccessList`; it has all fields. */
export type FormattedAccountAccess = ReturnType<typeof formatAccessList>[number]

/** A block's access list in the form of execution-apis, from its RLP. */
export function formatAccessList(rlp: Uint8Array) {
  return decodeBlockAccessList(rlp).map((account) => ({
    address: toHex(account.address),
    storageChanges: account.storageChanges.map(([slot, changes]) => ({
      key: word(slot),
      changes: formatChanges(changes, word),
    })),
    storageReads: account.storageReads.map(word),
    balanceChanges: formatChanges(account.balanceChanges, quantity),
    nonceChanges: formatChanges(account.nonceChanges, quantity),
    codeChanges: account.codeChanges.map(([index, code]) => ({
      index: quantity(index),
      code: toHex(code),
    })),
  }))
}

/** The values after steps of the block; index 0 is its opening, 1 its first transaction. */
function formatChanges<Value>(
  changes: readonly AccessChange<Value>[],
  format: (value: Value) => Hex,
) {
  return changes.map(([index, value]) => ({ index: quantity(index), value: format(value) }))
}

function word(bytes: Uint8Array): Hex {
  return toHex(padTo32(bytes))
}
