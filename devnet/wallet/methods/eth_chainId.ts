import type { WalletMethod } from '../core/types.ts'

/** The active chain, as a quantity (EIP-695). */
const method: WalletMethod = { isRead: true, handle: ({ session }) => session.chains.active }

export default method
