import { params, storageSlot } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { fromHex } from '../../primitives/hex.ts'
import { defineCommand } from '../method.ts'

/** Blocks have a difficulty instead (hardhat's words). */
export class NoPrevRandaoError extends RefusedError {
  override name = 'NoPrevRandaoError'
  constructor() {
    super('hardhat_setPrevRandao is only available in post-merge hardforks')
  }
}

/** Gives the pending block this prevRandao, of up to 32 bytes. */
export default defineCommand({
  params: params(storageSlot()),
  async run(context, [prevRandao]) {
    const { chain } = context
    await chain.write((job) => {
      if (!chain.pending.environment.rules.proofOfStake) throw new NoPrevRandaoError()
      return job.overrideNext({ prevRandao: fromHex(prevRandao) })
    })
  },
})
