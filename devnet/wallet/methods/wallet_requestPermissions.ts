import { connectAccount, formatPermissions, PERMISSIONS } from '../core/connectAccount.ts'
import type { WalletMethod } from '../core/types.ts'
import { readParams } from '../core/walletParams.ts'

/** Asks the user to connect an account, even if the origin already has one (EIP-2255). */
export default {
  async handle(context, params) {
    readParams(PERMISSIONS, params, context.session.wallet.settings)
    await connectAccount(context)
    return formatPermissions(context)
  },
} satisfies WalletMethod
