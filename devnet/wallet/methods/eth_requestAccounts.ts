import { connectAccount } from '../core/connectAccount.ts'
import type { WalletMethod } from '../core/walletMethod.ts'

/** Connects the origin (EIP-1102); one that is connected is not asked again. */
const method: WalletMethod = {
  async handle(context) {
    if (context.accounts.length === 0) await connectAccount(context)
    return context.accounts
  },
}

export default method
