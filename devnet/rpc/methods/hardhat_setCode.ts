import { accountCode, address, params } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

export default defineCommand({
  params: params(address(), accountCode()),
  run: ({ clocks }, [address, code]) =>
    clocks.command((writer) => writer.cheat({ kind: 'setCode', address, code })),
})
