import { params, storageSlot } from '../../json/params.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { fromHex } from '../../primitives/hex.ts'
import { defineCommand } from '../method.ts'

/** Sets prevRandao of the pending block; at most 32 bytes. */
export default defineCommand({
  params: params(storageSlot()),
  run: ({ chain, clocks }, [prevRandao]) =>
    clocks.choose(
      (writer) => writer.overrideNext({ prevRandao: fromHex(prevRandao) }),
      () => {
        if (chain.pending.environment.rules.proofOfStake) return
        throw new RefusedError('hardhat_setPrevRandao is only available in post-merge hardforks')
      },
    ),
})
