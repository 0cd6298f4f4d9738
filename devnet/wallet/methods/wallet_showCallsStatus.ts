import type { WalletMethod } from '../core/types.ts'

/** Only checks that the batch exists (EIP-5792): the history already shows it to the user. */
export default {
  handle(context, params) {
    context.session.batches.read(context, params)
    return null
  },
} satisfies WalletMethod
