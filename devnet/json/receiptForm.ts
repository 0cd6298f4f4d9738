import type { Hex } from '../primitives/hex.ts'

/*
 * In a module of its own: the types of the package must not lead to those of the libraries that it
 * is built on, which users may lack.
 */

/** A log as receipts and `eth_getLogs` answer it, in the order of geth's fields. */
export interface FormattedLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly transactionHash: Hex
  readonly transactionIndex: Hex
  /** 32 zero bytes while pre-confirmed. */
  readonly blockHash: Hex
  /** s since the epoch. */
  readonly blockTimestamp: Hex
  /** Index in the whole block. */
  readonly logIndex: Hex
  /** True for a log of a block that a reorganisation has taken back; never in receipts. */
  readonly removed: boolean
}

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
  /** Nonce of the sender; this and the next only of a deposit of the OP Stack. */
  readonly depositNonce?: Hex
  readonly depositReceiptVersion?: Hex
  /** wei per gas on L1; this and the following only of other transactions on the OP Stack. */
  readonly l1GasPrice?: Hex
  readonly l1GasUsed?: Hex
  /** wei. */
  readonly l1Fee?: Hex
  /** wei per blob gas on L1. */
  readonly l1BlobBaseFee?: Hex
  readonly l1BaseFeeScalar?: Hex
  readonly l1BlobBaseFeeScalar?: Hex
  /** Absent if the chain has no operator fee, as has the next. */
  readonly operatorFeeScalar?: Hex
  /** wei. */
  readonly operatorFeeConstant?: Hex
}
