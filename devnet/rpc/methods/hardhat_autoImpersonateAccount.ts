import { done } from '../anvilForm.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { flag } from '../schemas/plain.ts'

/** Lets every account send without a key, or none but those that are impersonated by name. */
export default defineMethod({
  params: params(flag()),
  browser: false,
  async handle(context, [impersonateAll]) {
    await context.chain.write((turn) => turn.set({ impersonateAll }))
    return done(context)
  },
})
