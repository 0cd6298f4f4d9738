import { defineMethod } from '../method.ts'

/** The unlocked accounts; with the option `anvil` also the impersonated ones. */
export default defineMethod({
  handle: ({ accounts, chain, options }) =>
    options.anvil
      ? [...new Set([...accounts.keys(), ...chain.settings.impersonated])]
      : [...accounts.keys()],
})
