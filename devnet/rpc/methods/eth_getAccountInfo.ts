import { toHex } from '../../chain/bytes.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { quantity } from '../format/quantity.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { stateAt } from '../resolveBlock.ts'
import { blockReference } from '../schemas/blockReference.ts'
import { address } from '../schemas/hex.ts'

/** Balance, nonce and code in one answer, as on anvil. */
export default defineMethod({
  params: params(address(), blockReference().optional()),
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
