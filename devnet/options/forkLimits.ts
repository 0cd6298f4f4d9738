import type { ForkLimits } from '../protocol/forkSchedule.ts'
import type { Options } from './options.ts'
import { profileOf } from './profileTable.ts'

/** The limits given, of which 0 means none. */
export function forkLimits({
  codeSizeLimit,
  transactionGasCap: gasCap,
}: Pick<Options, 'codeSizeLimit' | 'transactionGasCap'>): ForkLimits {
  return {
    ...(codeSizeLimit !== undefined && { codeSizeLimit: codeSizeLimit || Infinity }),
    ...(gasCap !== undefined && { transactionGasCap: gasCap ? BigInt(gasCap) : undefined }),
  }
}

/** The same, and what the profile adds to any hardfork: for a chain that begins with this node. */
export function newChainLimits(options: Options): ForkLimits {
  const { opStack, baseTime } = profileOf(options.profile)
  return { ...forkLimits(options), ...(opStack ? { opStack, baseTime } : {}) }
}
