import { requireBatch } from '../core/batches.ts'
import type { WalletMethod } from '../core/walletMethod.ts'

/** Shows a batch to the person (EIP-5792), who has nothing to look at here but the history. */
const method: WalletMethod = {
  handle(context, params) {
    requireBatch(context, params)
    return null
  },
}

export default method
