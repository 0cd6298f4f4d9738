import { params } from '../../json/params.ts'
import { storageSlot } from '../../json/schemas/hexSchemas.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { fromHex } from '../../primitives/hex.ts'
import { done } from '../aliases.ts'
import { defineMethod } from '../method.ts'

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
    await chain.write((job) => {
      if (!chain.pending.environment.rules.proofOfStake) throw new NoPrevRandaoError()
      return job.overrideNext({ prevRandao: fromHex(prevRandao) })
    })
    return done(context)
  },
})
