import type { BlockEnvironment } from './environment.ts'
import { openingGas } from './rollup/openingDeposits.ts'

/** Gas that a call with value gives the callee; SSTORE needs more than this left (EIP-2200). */
export const CALL_STIPEND = 2300n

/** The gas of a block that one transaction can have. */
export function mostGas({ gasLimit, rules }: BlockEnvironment): bigint {
  return gasLimit - openingGas(gasLimit, rules)
}

/**
 * Gas of a sent transaction that names none: that of a block, from Osaka on at most 2^24
 * (EIP-7825).
 */
export function defaultGas(environment: BlockEnvironment): bigint {
  const most = mostGas(environment)
  const cap = environment.rules.transactionGasCap
  return cap !== undefined && cap < most ? cap : most
}

/** Gas per 32-byte word that is copied (yellow paper, appendix G). */
export const COPY_WORD_GAS = 3

/** Total gas for a memory of `words` 32-byte words, in all hardforks (yellow paper, appendix G). */
export function memoryGas(words: number): number {
  return words * 3 + Math.floor((words * words) / 512)
}
