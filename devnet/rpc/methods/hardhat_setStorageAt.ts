import { setStorage } from '../../chain/cheats.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { address, storageSlot } from '../schemas/hex.ts'

export default defineMethod({
  params: params(address(), storageSlot(), storageSlot()),
  browser: false,
  async handle({ chain }, [account, slot, value]) {
    await chain.write((turn) => turn.cheat(setStorage(account, slot, value)))
    return true
  },
})
