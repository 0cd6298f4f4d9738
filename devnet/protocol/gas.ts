import type { BlockEnvironment } from './environment.ts'
import type { ForkRules } from './forks.ts'
import { openingGas } from './rollup/openingDeposits.ts'

/** Gas that a call with value gives the callee; SSTORE needs more than this left (EIP-2200). */
export const CALL_STIPEND = 2300n

/** The gas of a block that one transaction can have. */
export function mostGas({ gasLimit, rules }: BlockEnvironment): bigint {
  return gasLimit - openingGas(gasLimit, rules)
}

/**
 * Gas of a sent transaction that names none: that of a block, but no more than {@link gasLimitCap}.
 */
export function defaultGas(environment: BlockEnvironment): bigint {
  const most = mostGas(environment)
  const cap = gasLimitCap(environment.rules)
  return cap !== undefined && cap < most ? cap : most
}

/** Of execution and state together (execution-specs, for EIP-8037). */
const SUM_CAP = 2n ** 32n - 1n

/**
 * Highest gas limit of a transaction: 2^24 from Osaka on (EIP-7825); from Amsterdam on, when that
 * is the cap of execution gas alone, 2^32 - 1. `undefined` if there is none.
 */
export function gasLimitCap({
  stateGas,
  transactionGasCap,
}: Pick<ForkRules, 'stateGas' | 'transactionGasCap'>): bigint | undefined {
  return stateGas && transactionGasCap !== undefined ? SUM_CAP : transactionGasCap
}

/** Gas per 32-byte word that is copied (yellow paper, appendix G). */
export const COPY_WORD_GAS = 3

/** Total gas for a memory of `words` 32-byte words, in all hardforks (yellow paper, appendix G). */
export function memoryGas(words: number): number {
  return words * 3 + Math.floor((words * words) / 512)
}
