import type { WalletMethod } from '../core/walletMethod.ts'

/** What the provider script asks when it starts; it marks the origin as one that has the script. */
const method: WalletMethod = {
  isRead: true,
  handle({ session, client, accounts }) {
    session.meetProvider(client.origin)
    const { active } = session.chains
    return { accounts, chainId: active, networkVersion: String(BigInt(active)), isConnected: true }
  },
}

export default method
