import { connectAccount, formatPermissions, PERMISSIONS } from '../connectAccount.ts'
import type { WalletMethod } from '../method.ts'
import { readParams } from '../params.ts'

/** Asks for accounts, also where the origin has some (EIP-2255). */
const method: WalletMethod = {
  async handle(context, params) {
    readParams(PERMISSIONS, params)
    await connectAccount(context)
    return formatPermissions(context)
  },
}

export default method
