import { setNonce } from '../../chain/cheats.ts'
import { RefusedError } from '../../errors.ts'
import { addressKeyFromHex } from '../../state/keys.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { address } from '../schemas/hex.ts'
import { quantity64 } from '../schemas/quantity.ts'

/** A nonce never goes back, pre-confirmed transactions included (hardhat's words). */
export class NonceSmallerError extends RefusedError {
  override name = 'NonceSmallerError'
  constructor(wanted: bigint, existing: bigint) {
    super(`New nonce (${wanted}) must not be smaller than the existing nonce (${existing})`)
  }
}

export default defineMethod({
  params: params(address(), quantity64()),
  browser: false,
  async handle({ chain }, [account, nonce]) {
    const key = addressKeyFromHex(account)
    await chain.write((turn) => {
      const existing = chain.pending.state.account(key)?.nonce ?? 0n
      if (nonce < existing) throw new NonceSmallerError(nonce, existing)
      // Pre-confirmed transactions have brought it there: nothing to do, and they stay.
      if (nonce === existing) return
      return turn.cheat(setNonce(account, nonce))
    })
    return true
  },
})
