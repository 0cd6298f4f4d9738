import { address, blockReferenceOrNumber, params } from '../../json/params.ts'
import { stateAt } from '../../json/resolveBlock.ts'
import { optional } from '../../primitives/reader.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(address(), optional(blockReferenceOrNumber())),
  remote: 'state',
  readsState: true,
  handle(context, [account, block]) {
    const record = stateAt(context, block).account(addressKeyFromHex(account))
    return record !== null && record.codeHash !== EMPTY_CODE_HASH
  },
})
