import { params } from '../../json/params.ts'
import { address } from '../../json/schemas/hexSchemas.ts'
import { done } from '../aliases.ts'
import { defineMethod } from '../method.ts'

/** Lets an account send without a key, also one with code. It signs nothing. */
export default defineMethod({
  params: params(address()),
  browser: false,
  async handle(context, [account]) {
    const { chain } = context
    await chain.write((job) =>
      job.set({ impersonated: new Set([...chain.settings.impersonated, account]) }),
    )
    return done(context)
  },
})
