import type { WalletMethod } from '../core/types.ts'

/** The active chain's id as a decimal string. */
export default {
  isRead: true,
  handle: ({ session }) => String(BigInt(session.chains.active)),
} satisfies WalletMethod
