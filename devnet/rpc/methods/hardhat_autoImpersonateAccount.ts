import { flag, params } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

/** Lets every account send without a key, or none but those that are impersonated by name. */
export default defineCommand({
  params: params(flag()),
  run: (context, [impersonateAll]) => context.chain.write((job) => job.set({ impersonateAll })),
})
