import type { BlockEnvironment } from './environment.ts'

/** Gas that a call with value gives the callee; SSTORE needs more than this left (EIP-2200). */
export const CALL_STIPEND = 2300n

/**
 * Gas of a sent transaction that names none: the block gas limit, from Osaka on at most 2^24
 * (EIP-7825).
 */
export function defaultGas({ gasLimit, rules }: BlockEnvironment): bigint {
  const cap = rules.transactionGasCap
  return cap !== undefined && cap < gasLimit ? cap : gasLimit
}

/** Gas per 32-byte word that is copied (yellow paper, appendix G). */
export const COPY_WORD_GAS = 3

/** Total gas for a memory of `words` 32-byte words, in all hardforks (yellow paper, appendix G). */
export function memoryGas(words: number): number {
  return words * 3 + Math.floor((words * words) / 512)
}
