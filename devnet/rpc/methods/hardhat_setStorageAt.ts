import { setStorage } from '../../chain/cheats.ts'
import { address, params, storageSlot } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(address(), storageSlot(), storageSlot()),
  browser: false,
  async handle({ chain }, [account, slot, value]) {
    await chain.write((job) => job.cheat(setStorage(account, slot, value)))
    return true
  },
})
