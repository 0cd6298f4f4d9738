import { defineMethod } from '../method.ts'

/** The unlocked accounts; those that are impersonated only on anvil. */
export default defineMethod({
  handle: ({ accounts, chain, options }) =>
    options.anvil
      ? [...new Set([...accounts.keys(), ...chain.settings.impersonated])]
      : [...accounts.keys()],
})
