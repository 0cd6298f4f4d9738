import { flag, params } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

/** With `true`, every account can send without a key; with `false`, only impersonated ones. */
export default defineCommand({
  params: params(flag()),
  run: ({ clocks }, [impersonateAll]) => clocks.command((job) => job.set({ impersonateAll })),
})
