import { address, blockReference, params } from '../../json/params.ts'
import { stateAt } from '../../json/resolveBlock.ts'
import { quantity } from '../../primitives/hex.ts'
import { optional } from '../../primitives/reader.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(address(), optional(blockReference())),
  remote: 'state',
  readsState: true,
  handle(context, [account, block]) {
    const record = stateAt(context, block).account(addressKeyFromHex(account))
    return quantity(record?.balance ?? 0n)
  },
})
