import type { WalletMethod } from '../core/types.ts'

/** The accounts connected to the origin. */
const method: WalletMethod = { isRead: true, handle: ({ accounts }) => accounts }

export default method
