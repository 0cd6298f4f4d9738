import { address, params, storageSlot } from '../../json/params.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  params: params(address(), storageSlot(), storageSlot()),
  browser: false,
  async handle({ clocks }, [address, slot, value]) {
    await clocks.command((writer) => writer.cheat({ kind: 'setStorage', address, slot, value }))
    return true
  },
})
