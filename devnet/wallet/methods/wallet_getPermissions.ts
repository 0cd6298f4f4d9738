import { formatPermissions } from '../core/connectAccount.ts'
import type { WalletMethod } from '../core/types.ts'

/** The origin's permissions (EIP-2255). */
const method: WalletMethod = { isRead: true, handle: formatPermissions }

export default method
