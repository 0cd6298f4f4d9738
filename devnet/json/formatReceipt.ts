import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { type BlockRef, PENDING_HASH } from './blockRef.ts'
import { type FormattedLog, formatLog } from './formatLog.ts'

/** A receipt as `eth_getTransactionReceipt` answers it, in the order of geth's fields. */
export interface FormattedReceipt {
  /** wei; only for blob transactions. */
  readonly blobGasPrice?: Hex
  readonly blobGasUsed?: Hex
  /** 32 zero bytes while pre-confirmed: ethers refuses `null`. */
  readonly blockHash: Hex
  readonly blockNumber: Hex
  readonly contractAddress: Hex | null
  readonly cumulativeGasUsed: Hex
  /** wei. */
  readonly effectiveGasPrice: Hex
  readonly from: Hex
  readonly gasUsed: Hex
  readonly logs: readonly FormattedLog[]
  readonly logsBloom: Hex
  /** State root after the transaction; before Byzantium instead of `status` (EIP-658). */
  readonly root?: Hex
  readonly status?: '0x0' | '0x1'
  readonly to: Hex | null
  readonly transactionHash: Hex
  readonly transactionIndex: Hex
  readonly type: Hex
}

/** The receipt of a pre-confirmed or sealed transaction; sealing changes only the block hash. */
export function formatReceipt(executed: ExecutedTransaction, block: BlockRef): FormattedReceipt {
  const { transaction, blobGasPrice, blobGasUsed, contractAddress } = executed
  const { to } = transaction
  return {
    ...(blobGasPrice === undefined || blobGasUsed === undefined
      ? undefined
      : { blobGasPrice: quantity(blobGasPrice), blobGasUsed: quantity(blobGasUsed) }),
    blockHash: block.hash ?? PENDING_HASH,
    blockNumber: block.number,
    contractAddress: contractAddress === undefined ? null : toHex(contractAddress),
    cumulativeGasUsed: quantity(executed.cumulativeGasUsed),
    effectiveGasPrice: quantity(executed.effectiveGasPrice),
    from: transaction.sender,
    gasUsed: quantity(executed.gasUsed),
    logs: executed.logs.map((log, index) => formatLog(log, index, executed, block)),
    logsBloom: toHex(executed.bloom),
    ...(executed.stateRoot === undefined
      ? { status: executed.success ? '0x1' : '0x0' }
      : { root: toHex(executed.stateRoot) }),
    to: to === undefined ? null : toHex(to),
    transactionHash: transaction.hash,
    transactionIndex: quantity(executed.index),
    type: quantity(transaction.type),
  }
}
