import type { WalletMethod } from '../core/types.ts'

/** The active chain, as a decimal text. */
export default {
  isRead: true,
  handle: ({ session }) => String(BigInt(session.chains.active)),
} satisfies WalletMethod
