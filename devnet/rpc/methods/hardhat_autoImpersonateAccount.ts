import { params } from '../../json/params.ts'
import { flag } from '../../json/schemas/numberSchemas.ts'
import { done } from '../aliases.ts'
import { defineMethod } from '../method.ts'

/** Lets every account send without a key, or none but those that are impersonated by name. */
export default defineMethod({
  params: params(flag()),
  browser: false,
  async handle(context, [impersonateAll]) {
    await context.chain.write((job) => job.set({ impersonateAll }))
    return done(context)
  },
})
