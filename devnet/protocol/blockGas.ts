import type { BlockEnvironment } from './environment.ts'
import type { ForkRules } from './forks.ts'
import { openingGas } from './rollup/openingDeposits.ts'

/** Gas that the transactions of a block have used. */
export interface BlockGas {
  /** The sum of the receipts' gas, for which the senders pay. */
  readonly paid: bigint
  /** Without refunds since Amsterdam (EIP-7778); before, all gas is execution gas. */
  readonly execution: bigint
  /** Gas for state that was created (EIP-8037); 0 before Amsterdam. */
  readonly state: bigint
}

export const NO_GAS: BlockGas = { paid: 0n, execution: 0n, state: 0n }

/** Gas of one transaction. */
interface TransactionGas {
  readonly gasUsed: bigint
  /** Its share of the gas of the block, in both dimensions; `undefined` before Amsterdam. */
  readonly blockGas: Pick<BlockGas, 'execution' | 'state'> | undefined
}

export function addGas(total: BlockGas, { gasUsed, blockGas }: TransactionGas): BlockGas {
  return {
    paid: total.paid + gasUsed,
    execution: total.execution + (blockGas?.execution ?? gasUsed),
    state: total.state + (blockGas?.state ?? 0n),
  }
}

/** `gasUsed` of a header: the dimension of which more was used (EIP-8037). */
export function headerGasUsed({ execution, state }: BlockGas): bigint {
  return execution > state ? execution : state
}

/** The most gas of one transaction that a block has room for, of `most` gas. */
export function roomLeft({ execution, state }: BlockGas, most: bigint, rules: ForkRules): bigint {
  const [left, stateLeft] = [most - execution, most - state]
  const { stateGas, transactionGasCap: cap } = rules
  if (!stateGas) return left
  const needed = cap !== undefined && cap < stateLeft ? cap : stateLeft
  return needed <= left ? stateLeft : left
}

/** True if a block that has used this gas has room for a transaction with a gas limit. */
export function hasRoom(used: BlockGas, gasLimit: bigint, most: bigint, rules: ForkRules): boolean {
  const { stateGas, transactionGasCap: cap } = rules
  const execution = stateGas && cap !== undefined && cap < gasLimit ? cap : gasLimit
  return used.execution + execution <= most && used.state + gasLimit <= most
}

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
