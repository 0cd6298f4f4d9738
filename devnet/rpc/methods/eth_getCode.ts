import { address, blockReference, params } from '../../json/params.ts'
import { stateAt } from '../../json/resolveBlock.ts'
import { toHex } from '../../primitives/hex.ts'
import { optional } from '../../primitives/reader.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'

/** With `pending`, a contract exists once its creation is pre-confirmed. */
export default defineMethod({
  params: params(address(), optional(blockReference())),
  remote: 'state',
  readsState: true,
  handle(context, [account, block]) {
    const state = stateAt(context, block)
    const record = state.account(addressKeyFromHex(account))
    return record === null ? '0x' : toHex(state.code(record.codeHash))
  },
})
