import { toHex } from '../../chain/bytes.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { stateAt } from '../resolveBlock.ts'
import { blockReference } from '../schemas/blockReference.ts'
import { address } from '../schemas/hex.ts'

/** With `pending`, a contract is there as soon as its creation is pre-confirmed. */
export default defineMethod({
  params: params(address(), blockReference().optional()),
  handle(context, [account, block]) {
    const state = stateAt(context, block)
    const record = state.account(addressKeyFromHex(account))
    return record === null ? '0x' : toHex(state.code(record.codeHash))
  },
})
