import { defineMethod } from '../method.ts'

/** The unlocked accounts, and as anvil the impersonated ones. */
export default defineMethod({
  handle: ({ accounts, chain, options }) =>
    options.anvil
      ? [...new Set([...accounts.keys(), ...chain.settings.impersonated])]
      : [...accounts.keys()],
})
