import { fromHex } from '../../chain/bytes.ts'
import { RefusedError } from '../../errors.ts'
import { done } from '../anvilForm.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { storageSlot } from '../schemas/hex.ts'

/** Blocks have a difficulty instead (hardhat's words). */
export class NoPrevRandaoError extends RefusedError {
  override name = 'NoPrevRandaoError'
  constructor() {
    super('hardhat_setPrevRandao is only available in post-merge hardforks')
  }
}

/** Gives the pending block this prevRandao, of up to 32 bytes. */
export default defineMethod({
  params: params(storageSlot()),
  browser: false,
  async handle(context, [prevRandao]) {
    const { chain } = context
    await chain.write((turn) => {
      if (!chain.pending.environment.rules.proofOfStake) throw new NoPrevRandaoError()
      return turn.choose({ prevRandao: fromHex(prevRandao) })
    })
    return done(context)
  },
})
