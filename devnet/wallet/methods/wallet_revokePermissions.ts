import { PERMISSIONS } from '../core/connectAccount.ts'
import type { WalletMethod } from '../core/types.ts'
import { readParams } from '../core/walletParams.ts'

/** Disconnects the origin (MIP-2) without a prompt. */
export default {
  handle({ session, client }, params) {
    readParams(PERMISSIONS, params)
    // The event that follows comes after the answer.
    client.subscribe()
    session.disconnect(client.origin)
    return null
  },
} satisfies WalletMethod
