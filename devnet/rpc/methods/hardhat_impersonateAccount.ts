import { address, params } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

/** Lets an account send without a key, also one with code. It signs nothing. */
export default defineCommand({
  params: params(address()),
  async run(context, [account]) {
    const { chain } = context
    await chain.write((job) =>
      job.set({ impersonated: new Set([...chain.settings.impersonated, account]) }),
    )
  },
})
