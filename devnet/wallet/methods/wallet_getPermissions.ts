import { formatPermissions } from '../core/connectAccount.ts'
import type { WalletMethod } from '../core/types.ts'

/** The origin's permissions (EIP-2255). */
export default { isRead: true, handle: formatPermissions } satisfies WalletMethod
