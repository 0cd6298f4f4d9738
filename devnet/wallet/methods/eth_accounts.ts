import type { WalletMethod } from '../core/walletMethod.ts'

/** The accounts that the origin may see; none before it is connected. */
const method: WalletMethod = { isRead: true, handle: ({ accounts }) => accounts }

export default method
