import { address, blockReference, params } from '../../json/params.ts'
import { stateAt } from '../../json/resolveBlock.ts'
import { quantity } from '../../primitives/hex.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'

/** With `pending`, counts pre-confirmed transactions but not those in the mempool. */
export default defineMethod({
  params: params(address(), blockReference().optional()),
  handle(context, [account, block]) {
    const record = stateAt(context, block).account(addressKeyFromHex(account))
    return quantity(record?.nonce ?? 0n)
  },
})
