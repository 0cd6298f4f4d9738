import type { WalletMethod } from '../core/types.ts'

/** Asked by the provider script at its start, which marks the origin as one that uses it. */
export default {
  isRead: true,
  handle({ session, client, accounts }) {
    session.addProvider(client.origin)
    const { active } = session.chains
    return { accounts, chainId: active, networkVersion: String(BigInt(active)), isConnected: true }
  },
} satisfies WalletMethod
