import type { WalletMethod } from '../core/types.ts'

/** Only checks that the batch exists (EIP-5792): the history already shows it to the user. */
export default {
  handle({ session, client }, params) {
    session.batches.read(client.origin, params)
    return null
  },
} satisfies WalletMethod
