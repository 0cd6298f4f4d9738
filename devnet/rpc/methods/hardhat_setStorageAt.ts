import { address, params, storageSlot } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

export default defineCommand({
  params: params(address(), storageSlot(), storageSlot()),
  run: ({ clocks }, [address, slot, value]) =>
    clocks.command((writer) => writer.cheat({ kind: 'setStorage', address, slot, value })),
  answer: () => true,
})
