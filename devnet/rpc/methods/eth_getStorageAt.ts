import { address, blockReference, params, storageSlotText } from '../../json/params.ts'
import { stateAt } from '../../json/resolveBlock.ts'
import { padTo32 } from '../../primitives/bytes.ts'
import { toHex } from '../../primitives/hex.ts'
import { optional } from '../../primitives/reader.ts'
import { addressKeyFromHex, slotKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(address(), storageSlotText(), optional(blockReference())),
  remote: 'state',
  readsState: true,
  handle(context, [account, slot, block]) {
    const state = stateAt(context, block)
    return toHex(padTo32(state.slot(addressKeyFromHex(account), slotKeyFromHex(slot))))
  },
})
