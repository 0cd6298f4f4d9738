import { PERMISSIONS } from '../connectAccount.ts'
import type { WalletMethod } from '../method.ts'
import { readParams } from '../params.ts'

/** Disconnects the origin (MIP-2); nobody is asked. */
const method: WalletMethod = {
  handle({ session, client }, params) {
    readParams(PERMISSIONS, params)
    // What is pushed from here on comes after the answer.
    void client.connection
    session.disconnect(client.origin)
    return null
  },
}

export default method
