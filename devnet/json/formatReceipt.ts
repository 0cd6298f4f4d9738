import { quantity, toHex } from '../primitives/hex.ts'
import { bloomHex } from '../protocol/bloom.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { DEPOSIT_RECEIPT_VERSION } from '../protocol/rollup/depositTransaction.ts'
import type { L1Charge } from '../protocol/rollup/l1Fee.ts'
import { type BlockRef, PENDING_HASH } from './blockRef.ts'
import { formatLog } from './formatLog.ts'
import type { FormattedReceipt } from './receiptForm.ts'

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
    logsBloom: bloomHex(executed.bloomBits),
    ...(executed.stateRoot === undefined
      ? { status: executed.success ? '0x1' : '0x0' }
      : { root: toHex(executed.stateRoot) }),
    to: to === undefined ? null : toHex(to),
    transactionHash: transaction.hash,
    transactionIndex: quantity(executed.index),
    type: quantity(transaction.type),
    ...(transaction.deposit === undefined
      ? undefined
      : {
          depositNonce: quantity(transaction.nonce),
          depositReceiptVersion: quantity(DEPOSIT_RECEIPT_VERSION),
        }),
    ...(executed.l1Charge === undefined ? undefined : l1Fields(executed.l1Charge)),
  }
}

/** The fields that op-geth adds since Isthmus. */
function l1Fields({ terms, fee, gasUsed }: L1Charge): Partial<FormattedReceipt> {
  const { operatorFeeScalar, operatorFeeConstant } = terms
  return {
    l1GasPrice: quantity(terms.baseFee),
    l1GasUsed: quantity(gasUsed),
    l1Fee: quantity(fee),
    l1BlobBaseFee: quantity(terms.blobBaseFee),
    l1BaseFeeScalar: quantity(terms.baseFeeScalar),
    l1BlobBaseFeeScalar: quantity(terms.blobBaseFeeScalar),
    ...(operatorFeeScalar === 0n && operatorFeeConstant === 0n
      ? undefined
      : {
          operatorFeeScalar: quantity(operatorFeeScalar),
          operatorFeeConstant: quantity(operatorFeeConstant),
        }),
  }
}
