import { address, blockReference, params, storageKey } from '../../json/params.ts'
import { requireBlock } from '../../json/resolveBlock.ts'
import { bytesToBigInt } from '../../primitives/bytes.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import { quantity, toHex } from '../../primitives/hex.ts'
import { listOf, optional } from '../../primitives/reader.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { addressKeyFromHex, slotKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'

/** Maximum number of slots in one request, as in geth. */
const MOST_SLOTS = 1024

const storageKeys = listOf(storageKey(), 'a list of storage keys')

/**
 * An account and its slots with Merkle proofs (EIP-1186) against the state root of the block. For
 * the newest block, the state includes cheats since its seal, so its root may differ from the
 * header's. With `pending`, the root is that of the pre-confirmed state, which no header has,
 * because sealing first runs the system calls at the end of the block.
 */
export default defineMethod({
  params: params(address(), storageKeys, optional(blockReference())),
  remote: 'proof',
  handle(context, [account, slots, block]) {
    if (slots.length > MOST_SLOTS) {
      throw new InvalidParamsError(
        `too many storage keys requested (max ${MOST_SLOTS}, got ${slots.length})`,
      )
    }
    const trie = context.chain.stateTrie(requireBlock(context, block))
    const key = addressKeyFromHex(account)
    const record = trie.account(key)
    const slotKeys = slots.map(({ slot }) => slotKeyFromHex(slot))
    const proofs = trie.storageProof(key, slotKeys)
    return {
      address: account,
      accountProof: trie.accountProof(key).map(toHex),
      balance: quantity(record?.balance ?? 0n),
      codeHash: toHex(record?.codeHash ?? EMPTY_CODE_HASH),
      nonce: quantity(record?.nonce ?? 0n),
      storageHash: toHex(trie.storageRoot(key)),
      storageProof: slotKeys.map((slotKey, index) => ({
        key: slots[index]?.shown,
        value: quantity(bytesToBigInt(trie.slot(key, slotKey))),
        proof: proofs[index]?.map(toHex),
      })),
    }
  },
})
