import { maxBlobGas } from '../chain/assembly.ts'
import type { SealedBlock } from '../chain/block.ts'
import { blobBaseFee, nextBaseFee, nextExcessBlobGas } from '../chain/fees.ts'
import type { PendingView } from '../chain/pendingView.ts'
import type { ExecutedTransaction } from '../chain/receipt.ts'
import { effectiveTip } from '../chain/transaction.ts'
import type { ForkRules } from '../engine/forks.ts'
import type { Hex } from '../types.ts'
import { isPending } from './format/place.ts'
import { quantity } from './format/quantity.ts'

/** What `eth_feeHistory` answers: one entry a block, of fees one more for the block after. */
export interface FeeHistory {
  readonly oldestBlock: Hex
  /** Tips at the percentiles asked for, in wei; absent where none were. */
  readonly reward?: readonly (readonly Hex[])[]
  /** wei. */
  readonly baseFeePerGas: readonly Hex[]
  readonly gasUsedRatio: readonly number[]
  /** wei. */
  readonly baseFeePerBlobGas: readonly Hex[]
  readonly blobGasUsedRatio: readonly number[]
}

/** What of a block its fees are made of. */
interface Fees {
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  readonly baseFeePerGas: bigint
  readonly blobGasUsed: bigint
  readonly excessBlobGas: bigint
  readonly executed: readonly ExecutedTransaction[]
}

/**
 * The fees of consecutive blocks.
 *
 * @param blocks - at least one, oldest first
 * @param pending - its fees are those of the block after the newest sealed one
 * @param percentiles - from 0 to 100, rising
 */
export function feeHistory(
  blocks: readonly (SealedBlock | PendingView)[],
  pending: PendingView,
  percentiles: readonly number[],
  rules: ForkRules,
): FeeHistory {
  const fees = blocks.map(feesOf)
  const newest = fees.at(-1)
  const [oldest] = fees
  if (newest === undefined || oldest === undefined) throw new Error('No block to tell the fees of')
  const after = feesAfter(newest, feesOf(pending), rules)
  const all = [...fees, after]
  const blobGas = maxBlobGas(rules.blobSchedule)
  return {
    oldestBlock: quantity(oldest.number),
    ...(percentiles.length === 0
      ? undefined
      : { reward: fees.map((block) => rewards(block, percentiles)) }),
    baseFeePerGas: all.map(({ baseFeePerGas }) => quantity(baseFeePerGas)),
    gasUsedRatio: fees.map(({ gasUsed, gasLimit }) => ratio(gasUsed, gasLimit)),
    baseFeePerBlobGas: all.map(({ excessBlobGas }) =>
      quantity(blobBaseFee(excessBlobGas, rules.blobSchedule)),
    ),
    blobGasUsedRatio: fees.map(({ blobGasUsed }) => ratio(blobGasUsed, blobGas)),
  }
}

function feesOf(block: SealedBlock | PendingView): Fees {
  if (isPending(block)) {
    const { environment, gasUsed, blobGasUsed, executed } = block
    const { number, gasLimit, baseFeePerGas, excessBlobGas } = environment
    return { number, gasLimit, gasUsed, baseFeePerGas, blobGasUsed, excessBlobGas, executed }
  }
  const { header, executed } = block
  const { number, gasLimit, gasUsed } = header
  const { baseFeePerGas = 0n, blobGasUsed = 0n, excessBlobGas = 0n } = header
  return { number, gasLimit, gasUsed, baseFeePerGas, blobGasUsed, excessBlobGas, executed }
}

/** The fees of the block after `newest`; those of the pending block are known, and may have been commanded. */
function feesAfter(newest: Fees, pending: Fees, rules: ForkRules): Fees {
  if (pending.number === newest.number + 1n) return pending
  return {
    ...newest,
    baseFeePerGas: nextBaseFee(newest),
    excessBlobGas: nextExcessBlobGas(newest, rules),
  }
}

/** Tips that so many percent of the block's gas stayed under, as geth computes them. */
function rewards(
  { executed, baseFeePerGas, gasUsed }: Fees,
  percentiles: readonly number[],
): Hex[] {
  const sorted = executed
    .map((one) => ({ gas: one.gasUsed, tip: effectiveTip(one.transaction, baseFeePerGas) }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
  let index = 0
  let gas = sorted[0]?.gas ?? 0n
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(gasUsed) * percentile) / 100))
    while (gas < threshold && index < sorted.length - 1) {
      index++
      gas += sorted[index]?.gas ?? 0n
    }
    return quantity(sorted[index]?.tip ?? 0n)
  })
}

function ratio(used: bigint, limit: bigint): number {
  return limit === 0n ? 0 : Number(used) / Number(limit)
}
