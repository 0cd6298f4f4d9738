import type { WalletMethod } from '../core/types.ts'

/** The accounts connected to the origin. */
export default { isRead: true, handle: ({ accounts }) => accounts } satisfies WalletMethod
