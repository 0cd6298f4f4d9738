import type { ForkLimits } from '../protocol/forkSchedule.ts'
import type { Options } from './options.ts'
import { profileOf } from './profileTable.ts'

/** The limits given, of which 0 means none, and what the profile adds to any hardfork. */
export function forkLimits({
  codeSizeLimit,
  transactionGasCap: gasCap,
  profile,
}: Options): ForkLimits {
  return {
    ...(profileOf(profile).opStack ? { opStack: true } : {}),
    ...(codeSizeLimit === undefined
      ? {}
      : { codeSizeLimit: codeSizeLimit === 0 ? Infinity : codeSizeLimit }),
    ...(gasCap === undefined
      ? {}
      : { transactionGasCap: gasCap === 0 ? undefined : BigInt(gasCap) }),
  }
}
