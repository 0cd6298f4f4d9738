import type { WalletMethod } from '../core/types.ts'

/** Shows a batch to the user (EIP-5792); the history already does. */
export default {
  handle({ session, client }, params) {
    session.batches.read(client.origin, params)
    return null
  },
} satisfies WalletMethod
