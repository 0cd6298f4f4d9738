import type { Occurrence, OccurrencePage } from '../chain/addressIndex.ts'
import type { PendingView } from '../chain/building/pendingView.ts'
import { type Hex, quantity } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import { blockRewards } from '../protocol/rewards.ts'
import { blockRefOf, isPending } from './blockRef.ts'
import { formatBlock } from './formatBlock.ts'
import { formatReceipt } from './formatReceipt.ts'
import { formatTransaction } from './formatTransaction.ts'

type Block = SealedBlock | PendingView

/** A block as Otterscan takes it: the number of its transactions, and no bloom. */
function formatOtterscanBlock(block: Block) {
  const { transactions, ...rest } = formatBlock(block)
  return { ...rest, logsBloom: null, transactionCount: transactions.length }
}

/** A block with what it paid, in wei, as `ots_getBlockDetails` answers it. */
export function formatBlockDetails(block: Block) {
  const header = isPending(block) ? block.environment : { ...block.header, rules: block.rules }
  const rewards =
    // Nobody was paid for the genesis block.
    header.number === 0n ? [] : blockRewards(header, isPending(block) ? [] : block.uncles)
  const issued = rewards.reduce((sum, [, wei]) => sum + wei, 0n)
  // The miner's comes last.
  const blockReward = rewards.at(-1)?.[1] ?? 0n
  const fees = block.executed.reduce(
    (sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice,
    0n,
  )
  return {
    block: formatOtterscanBlock(block),
    issuance: {
      blockReward: quantity(blockReward),
      uncleReward: quantity(issued - blockReward),
      issuance: quantity(issued),
    },
    totalFees: quantity(fees),
  }
}

const SELECTOR_CHARACTERS = 2 + 2 * 4

/**
 * Some transactions of a block, as `ots_getBlockTransactions` answers them: calldata is cut to the
 * selector.
 *
 * @param page - 0 is the end of the block, of which Otterscan shows the newest transactions first
 */
export function formatBlockPage(block: Block, page: number, size: number) {
  const end = Math.max(0, block.executed.length - page * size)
  const executed = block.executed.slice(Math.max(0, end - size), end)
  const ref = blockRefOf(block)
  const transactions = executed.map((one) => {
    const transaction = formatTransaction(one, ref)
    // Still hexadecimal after the cut.
    return { ...transaction, input: transaction.input.slice(0, SELECTOR_CHARACTERS) as Hex }
  })
  return {
    fullblock: { ...formatOtterscanBlock(block), transactions },
    receipts: executed.map((one) => ({ ...formatReceipt(one, ref), logs: null, logsBloom: null })),
  }
}

/** Transactions of an address as the `ots_searchTransactions` methods answer them, newest first. */
export function formatOccurrences({ found, isNewest, isOldest }: OccurrencePage) {
  const timed = ({ block, executed }: Occurrence) => ({
    ...formatReceipt(executed, blockRefOf(block)),
    timestamp: Number(block.header.timestamp),
  })
  return {
    txs: found.map(({ block, executed }) => formatTransaction(executed, blockRefOf(block))),
    receipts: found.map(timed),
    firstPage: isNewest,
    lastPage: isOldest,
  }
}
