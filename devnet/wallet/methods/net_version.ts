import type { WalletMethod } from '../core/types.ts'

/** The active chain, as a decimal text. */
const method: WalletMethod = {
  isRead: true,
  handle: ({ session }) => String(BigInt(session.chains.active)),
}

export default method
