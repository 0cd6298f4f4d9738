import type { WalletMethod } from '../core/types.ts'

/** The accounts connected to the client's origin. */
export default { isRead: true, handle: ({ accounts }) => accounts } satisfies WalletMethod
