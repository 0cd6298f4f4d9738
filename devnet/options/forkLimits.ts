import type { ForkLimits } from '../protocol/forkSchedule.ts'
import type { Options } from './options.ts'

/** The limits given; 0 means none. */
export function forkLimits({ codeSizeLimit, transactionGasCap: gasCap }: Options): ForkLimits {
  return {
    ...(codeSizeLimit === undefined
      ? {}
      : { codeSizeLimit: codeSizeLimit === 0 ? Infinity : codeSizeLimit }),
    ...(gasCap === undefined
      ? {}
      : { transactionGasCap: gasCap === 0 ? undefined : BigInt(gasCap) }),
  }
}
