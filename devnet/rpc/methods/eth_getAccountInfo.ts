import { address, blockReference, params } from '../../json/params.ts'
import { stateAt } from '../../json/resolveBlock.ts'
import { quantity, toHex } from '../../primitives/hex.ts'
import { optional } from '../../primitives/reader.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'

/** Balance, nonce and code in one answer, as on anvil. */
export default defineMethod({
  params: params(address(), optional(blockReference())),
  remote: 'state',
  readsState: true,
  handle(context, [account, block]) {
    const state = stateAt(context, block)
    const record = state.account(addressKeyFromHex(account))
    return {
      balance: quantity(record?.balance ?? 0n),
      nonce: quantity(record?.nonce ?? 0n),
      code: record === null ? '0x' : toHex(state.code(record.codeHash)),
    }
  },
})
