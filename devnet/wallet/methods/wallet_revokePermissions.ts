import { PERMISSIONS } from '../core/connectAccount.ts'
import type { WalletMethod } from '../core/types.ts'
import { readParams } from '../core/walletParams.ts'

/** Disconnects the client's origin (MIP-2) without a prompt. */
export default {
  handle({ session, client }, params) {
    readParams(PERMISSIONS, params, session.wallet.settings)
    // From now on, events wait until this request is answered.
    client.subscribe()
    session.disconnect(client.origin)
    return null
  },
} satisfies WalletMethod
