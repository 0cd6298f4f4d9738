import { setStorage } from '../../chain/cheats.ts'
import { params } from '../../json/params.ts'
import { address, storageSlot } from '../../json/schemas/hexSchemas.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(address(), storageSlot(), storageSlot()),
  browser: false,
  async handle({ chain }, [account, slot, value]) {
    await chain.write((job) => job.cheat(setStorage(account, slot, value)))
    return true
  },
})
