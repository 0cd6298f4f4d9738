import { padTo32, toHex } from '../../chain/bytes.ts'
import { addressKeyFromHex, slotKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { stateAt } from '../resolveBlock.ts'
import { blockReference } from '../schemas/blockReference.ts'
import { address, storageSlot } from '../schemas/hex.ts'

export default defineMethod({
  params: params(address(), storageSlot(), blockReference().optional()),
  handle(context, [account, slot, block]) {
    const state = stateAt(context, block)
    return toHex(padTo32(state.slot(addressKeyFromHex(account), slotKeyFromHex(slot))))
  },
})
