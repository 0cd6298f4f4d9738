import type { WalletMethod } from '../core/types.ts'

/** The wallet's state for the provider script. Marks the origin as one that uses the script. */
export default {
  isRead: true,
  handle({ session, client, accounts }) {
    session.addProvider(client.origin)
    const { active } = session.chains
    return {
      accounts,
      chainId: active,
      networkVersion: String(BigInt(active)),
      isConnected: true,
      instanceId: session.wallet.node.instanceId,
    }
  },
} satisfies WalletMethod
