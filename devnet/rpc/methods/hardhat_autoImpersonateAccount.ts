import { params } from '../../json/params.ts'
import { flag } from '../../primitives/reader.ts'
import { defineCommand } from '../method.ts'

/** With `true`, every account can send without a key; with `false`, only impersonated ones. */
export default defineCommand({
  params: params(flag()),
  run: ({ clocks }, [impersonateAll]) => clocks.command((writer) => writer.set({ impersonateAll })),
})
