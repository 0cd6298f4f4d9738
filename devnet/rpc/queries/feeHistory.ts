import type { PendingView } from '../../chain/pendingView.ts'
import { isPending } from '../../json/blockRef.ts'
import { type Hex, quantity } from '../../primitives/hex.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import { blobBaseFee, maxBlobGas, nextBaseFee, nextExcessBlobGas } from '../../protocol/fees.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
import { effectiveTip } from '../../protocol/transaction.ts'

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
  /** 0 before London. */
  readonly baseFeePerGas: bigint
  readonly blobGasUsed: bigint
  readonly excessBlobGas: bigint
  readonly executed: readonly ExecutedTransaction[]
  readonly rules: ForkRules
}

/**
 * The fees of consecutive blocks.
 *
 * @param blocks - at least one, oldest first
 * @param next - the block after them, where there is one; its fees may have been commanded
 * @param percentiles - from 0 to 100, rising
 */
export function feeHistory(
  blocks: readonly (SealedBlock | PendingView)[],
  next: SealedBlock | PendingView | undefined,
  percentiles: readonly number[],
): FeeHistory {
  const fees = blocks.map(feesOf)
  const newest = fees.at(-1)
  const [oldest] = fees
  if (newest === undefined || oldest === undefined) throw new Error('No block to tell the fees of')
  const after = next === undefined ? feesAfter(newest) : feesOf(next)
  const all = [...fees, after]
  return {
    oldestBlock: quantity(oldest.number),
    ...(percentiles.length === 0
      ? undefined
      : { reward: fees.map((block) => rewards(block, percentiles)) }),
    baseFeePerGas: all.map(({ baseFeePerGas }) => quantity(baseFeePerGas)),
    gasUsedRatio: fees.map(({ gasUsed, gasLimit }) => ratio(gasUsed, gasLimit)),
    baseFeePerBlobGas: all.map(({ excessBlobGas, rules }) =>
      quantity(blobBaseFee(excessBlobGas, rules.blobSchedule)),
    ),
    blobGasUsedRatio: fees.map(({ blobGasUsed, rules }) =>
      ratio(blobGasUsed, maxBlobGas(rules.blobSchedule)),
    ),
  }
}

function feesOf(block: SealedBlock | PendingView): Fees {
  if (isPending(block)) {
    const { environment, gasUsed, blobGasUsed, executed } = block
    const { number, gasLimit, baseFeePerGas, excessBlobGas, rules } = environment
    return { number, gasLimit, gasUsed, baseFeePerGas, blobGasUsed, excessBlobGas, executed, rules }
  }
  const { header, executed, rules } = block
  const { number, gasLimit, gasUsed } = header
  const { baseFeePerGas = 0n, blobGasUsed = 0n, excessBlobGas = 0n } = header
  return { number, gasLimit, gasUsed, baseFeePerGas, blobGasUsed, excessBlobGas, executed, rules }
}

/** The fees of the block after `newest`, as far as they follow from it: under the same rules. */
function feesAfter(newest: Fees): Fees {
  return {
    ...newest,
    baseFeePerGas: newest.rules.baseFee ? nextBaseFee(newest) : 0n,
    excessBlobGas: nextExcessBlobGas(newest, newest.rules),
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

/** Tip that is suggested and given by default, in wei: 1 gwei, as hardhat node. */
export const SUGGESTED_TIP = 1_000_000_000n
