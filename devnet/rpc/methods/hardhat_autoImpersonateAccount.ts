import { flag, params } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

/** Lets every account send without a key; `false`: only accounts impersonated by name. */
export default defineCommand({
  params: params(flag()),
  run: ({ chain }, [impersonateAll]) => chain.write((job) => job.set({ impersonateAll })),
})
