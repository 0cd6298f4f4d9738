import { formatPermissions } from '../connectAccount.ts'
import type { WalletMethod } from '../method.ts'

/** What the origin was allowed (EIP-2255). */
const method: WalletMethod = { isRead: true, handle: formatPermissions }

export default method
