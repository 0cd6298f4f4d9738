import { formatPermissions } from '../core/connectAccount.ts'
import type { WalletMethod } from '../core/walletMethod.ts'

/** What the origin was allowed (EIP-2255). */
const method: WalletMethod = { isRead: true, handle: formatPermissions }

export default method
