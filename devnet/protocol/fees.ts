import type { BlobSchedule, ForkRules } from './forks.ts'
import type { BlockHeader } from './header.ts'
import type { TransactionFields } from './transaction.ts'

/** Gas that one blob takes (EIP-4844). */
export const GAS_PER_BLOB = 2n ** 17n

export function blobGasOf(tx: Pick<TransactionFields, 'blobVersionedHashes'>): bigint {
  return BigInt(tx.blobVersionedHashes.length) * GAS_PER_BLOB
}

/** Value, and gas and blobs at their maximum prices, in wei. */
export function maxCostOf(tx: Omit<TransactionFields, 'from'>): bigint {
  return tx.value + tx.gasLimit * tx.maxFeePerGas + blobGasOf(tx) * tx.maxFeePerBlobGas
}

/** Maximum blobs per transaction since Osaka (EIP-7594). */
const MAX_BLOBS = 6

/** Maximum number of blobs in one transaction; 0 before Cancun. */
export function maxBlobsPerTransaction({ blobSchedule, blobReservePrice }: ForkRules): number {
  return blobReservePrice ? MAX_BLOBS : Number(blobSchedule?.max ?? 0n)
}

/** The fields of a parent from which the next block's fees follow. */
type FeeParent = Pick<
  BlockHeader,
  'gasLimit' | 'gasUsed' | 'baseFeePerGas' | 'blobGasUsed' | 'excessBlobGas'
>

/** Base fee of the first block that has one, in wei. */
const INITIAL_BASE_FEE = 10n ** 9n

/** Base fee of the block after `parent`, in wei (EIP-1559). */
export function nextBaseFee(
  parent: FeeParent,
  { baseFeeRules }: Pick<ForkRules, 'baseFeeRules'>,
): bigint {
  const { denominator, elasticity, minimum, countsFootprint } = baseFeeRules
  const baseFee = parent.baseFeePerGas
  if (baseFee === undefined) return INITIAL_BASE_FEE
  const { gasUsed, blobGasUsed = 0n } = parent
  const used = countsFootprint && blobGasUsed > gasUsed ? blobGasUsed : gasUsed
  const next = movedBaseFee(baseFee, used, parent.gasLimit / elasticity, denominator)
  return next > minimum ? next : minimum
}

function movedBaseFee(baseFee: bigint, used: bigint, target: bigint, denominator: bigint): bigint {
  if (used === target || target === 0n) return baseFee
  if (used > target) {
    const rise = (baseFee * (used - target)) / target / denominator
    return baseFee + (rise > 1n ? rise : 1n)
  }
  return baseFee - (baseFee * (target - used)) / target / denominator
}

/** Excess blob gas of the block after `parent` (EIP-4844, EIP-7691, EIP-7918). */
export function nextExcessBlobGas(parent: FeeParent, rules: ForkRules): bigint {
  const schedule = rules.blobSchedule
  if (schedule === undefined) return 0n
  const used = parent.blobGasUsed ?? 0n
  const excess = parent.excessBlobGas ?? 0n
  const target = schedule.target * GAS_PER_BLOB
  if (excess + used < target) return 0n
  if (rules.blobReservePrice) {
    // BLOB_BASE_COST of EIP-7918 is 2^13.
    const reserve = 2n ** 13n * (parent.baseFeePerGas ?? 0n)
    if (reserve > GAS_PER_BLOB * blobBaseFee(excess, schedule)) {
      return excess + (used * (schedule.max - schedule.target)) / schedule.max
    }
  }
  return excess + used - target
}

/** Price of blob gas in wei: at least 1 (EIP-4844); 0 before Cancun. */
export function blobBaseFee(excessBlobGas: bigint, schedule: BlobSchedule | undefined): bigint {
  return schedule === undefined ? 0n : fakeExponential(1n, excessBlobGas, schedule.updateFraction)
}

/** Maximum blob gas of a block; 0 before Cancun. */
export function maxBlobGas(schedule: BlobSchedule | undefined): bigint {
  return (schedule?.max ?? 0n) * GAS_PER_BLOB
}

function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let output = 0n
  let term = factor * denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / (denominator * i)
  }
  return output / denominator
}
