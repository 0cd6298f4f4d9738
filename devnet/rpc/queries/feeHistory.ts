import type { PendingView } from '../../chain/building/pendingView.ts'
import { isPending } from '../../json/blockRef.ts'
import { type Hex, quantity } from '../../primitives/hex.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import { headerGasUsed } from '../../protocol/blockGas.ts'
import { blobBaseFee, maxBlobGas, nextBaseFee, nextExcessBlobGas } from '../../protocol/fees.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
import { effectiveTip } from '../../protocol/transaction.ts'

/** Result of `eth_feeHistory`: one entry per block; base fees have one more, for the next block. */
export type FeeHistory = ReturnType<typeof feeHistory>

/** The fields of a block that fees depend on. */
interface Fees {
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** wei; 0 before London. */
  readonly baseFeePerGas: bigint
  readonly blobGasUsed: bigint
  readonly excessBlobGas: bigint
  readonly executed: readonly ExecutedTransaction[]
  readonly rules: ForkRules
}

/**
 * The fees of consecutive blocks.
 *
 * @param blocks - oldest first; may be empty if there is a block after them
 * @param next - the block after `blocks`, if any: a command may have set its fees
 * @param percentiles - from 0 to 100, ascending
 */
export function feeHistory(
  blocks: readonly (SealedBlock | PendingView)[],
  next: SealedBlock | PendingView | undefined,
  percentiles: readonly number[],
) {
  const fees = blocks.map(feesOf)
  const newest = fees.at(-1)
  const after = next === undefined ? newest && feesAfter(newest) : feesOf(next)
  if (after === undefined) throw new Error('There is no block to compute fees for')
  const all = [...fees, after]
  const { number: oldest } = fees[0] ?? after
  return {
    oldestBlock: quantity(oldest),
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
    const { environment, gas, blobGasUsed, executed } = block
    const gasUsed = headerGasUsed(gas)
    const { number, gasLimit, baseFeePerGas, excessBlobGas, rules } = environment
    return { number, gasLimit, gasUsed, baseFeePerGas, blobGasUsed, excessBlobGas, executed, rules }
  }
  const { header, executed, rules } = block
  const { number, gasLimit, gasUsed } = header
  const { baseFeePerGas = 0n, blobGasUsed = 0n, excessBlobGas = 0n } = header
  return { number, gasLimit, gasUsed, baseFeePerGas, blobGasUsed, excessBlobGas, executed, rules }
}

/** The fees of the block after `newest`, computed under the rules of `newest`. */
function feesAfter(newest: Fees): Fees {
  return {
    ...newest,
    baseFeePerGas: newest.rules.baseFee ? nextBaseFee(newest, newest.rules) : 0n,
    excessBlobGas: nextExcessBlobGas(newest, newest.rules),
  }
}

/**
 * Tips in wei at percentiles of the block's gas used, computed as in geth. Deposits of the OP Stack
 * pay nothing, not even the base fee; reth and op-geth count them with a tip of 0.
 */
function rewards(
  { executed, baseFeePerGas, gasUsed }: Fees,
  percentiles: readonly number[],
): Hex[] {
  const sorted = executed
    .map(({ gasUsed, transaction }) => {
      const tip = transaction.deposit === undefined ? effectiveTip(transaction, baseFeePerGas) : 0n
      return { gas: gasUsed, tip }
    })
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

/** Suggested and default tip in wei: 1 gwei, as on hardhat node. */
export const SUGGESTED_TIP = 1_000_000_000n
