import { address, blockReference, params } from '../../json/params.ts'
import { requireBlock } from '../../json/resolveBlock.ts'
import { quantity, toHex } from '../../primitives/hex.ts'
import { optional } from '../../primitives/reader.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'

/** An account as in the state trie; a missing one is empty, as on anvil. */
export default defineMethod({
  params: params(address(), optional(blockReference())),
  remote: 'proof',
  readsState: true,
  handle(context, [account, block]) {
    const trie = context.chain.stateTrie(requireBlock(context, block))
    const key = addressKeyFromHex(account)
    const record = trie.account(key)
    return {
      nonce: quantity(record?.nonce ?? 0n),
      balance: quantity(record?.balance ?? 0n),
      storageRoot: toHex(trie.storageRoot(key)),
      codeHash: toHex(record?.codeHash ?? EMPTY_CODE_HASH),
    }
  },
})
