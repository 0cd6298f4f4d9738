import { connectAccount, formatPermissions, PERMISSIONS } from '../core/connectAccount.ts'
import type { WalletMethod } from '../core/types.ts'
import { readParams } from '../core/walletParams.ts'

/** Asks for accounts, even if the origin has some (EIP-2255). */
export default {
  async handle(context, params) {
    readParams(PERMISSIONS, params)
    await connectAccount(context)
    return formatPermissions(context)
  },
} satisfies WalletMethod
