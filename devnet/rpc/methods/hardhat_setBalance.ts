import { address, params, quantity } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

export default defineCommand({
  params: params(address(), quantity()),
  run: ({ clocks }, [address, balance]) =>
    clocks.command((writer) => writer.cheat({ kind: 'setBalance', address, balance })),
})
