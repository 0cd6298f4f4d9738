import type { WalletMethod } from '../core/types.ts'

/** The active chain's id as a quantity (EIP-695). */
export default {
  isRead: true,
  handle: ({ session }) => session.chains.active,
} satisfies WalletMethod
