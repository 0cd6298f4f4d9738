import { addressKeyFromHex } from '../../state/keys.ts'
import { quantity } from '../format/quantity.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { stateAt } from '../resolveBlock.ts'
import { blockReference } from '../schemas/blockReference.ts'
import { address } from '../schemas/hex.ts'

/** With `pending`, counts the pre-confirmed transactions, and those in the mempool not. */
export default defineMethod({
  params: params(address(), blockReference().optional()),
  handle(context, [account, block]) {
    const record = stateAt(context, block).account(addressKeyFromHex(account))
    return quantity(record?.nonce ?? 0n)
  },
})
