import { connectAccount } from '../core/connectAccount.ts'
import type { WalletMethod } from '../core/types.ts'

/** Connects the client's origin (EIP-1102). Asks the user only if it is not connected yet. */
export default {
  async handle(context) {
    if (context.accounts.length === 0) await connectAccount(context)
    return context.accounts
  },
} satisfies WalletMethod
