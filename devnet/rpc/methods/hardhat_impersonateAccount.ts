import { address, params } from '../../json/params.ts'
import { defineCommand } from '../method.ts'

/** Lets an account, also a contract, send without a key. It cannot sign. */
export default defineCommand({
  params: params(address()),
  async run(context, [account]) {
    const { chain } = context
    await chain.write((job) =>
      job.set({ impersonated: new Set([...chain.settings.impersonated, account]) }),
    )
  },
})
