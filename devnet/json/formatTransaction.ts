import type { PendingView } from '../chain/building/pendingView.ts'
import type { TransactionLocation } from '../chain/chain.ts'
import { signatureOf } from '../engine/decodeTransaction.ts'
import { bytesToBigInt } from '../primitives/bytes.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import {
  DEPOSIT_RECEIPT_VERSION,
  type DepositFields,
} from '../protocol/rollup/depositTransaction.ts'
import type { AuthorizationFields, ChainTransaction } from '../protocol/transaction.ts'
import { type BlockRef, blockRefOf } from './blockRef.ts'
import { formatReceipt } from './formatReceipt.ts'
import type { FormattedReceipt } from './receiptForm.ts'

/** A transaction as `eth_getTransactionByHash` answers it, in the order of geth's fields. */
export type FormattedTransaction = ReturnType<typeof format>

/** A pre-confirmed or sealed transaction. */
export function formatTransaction(
  executed: ExecutedTransaction,
  block: BlockRef,
): FormattedTransaction {
  return format(executed.transaction, executed.effectiveGasPrice, block, quantity(executed.index))
}

/** A transaction without its block, as in the mempool. */
export function formatPoolTransaction(transaction: ChainTransaction): FormattedTransaction {
  return format(transaction, transaction.maxFeePerGas)
}

function format(
  transaction: ChainTransaction,
  gasPrice: bigint,
  block?: BlockRef,
  index: Hex | null = null,
) {
  const { type, to } = transaction
  return {
    /** `null` while pre-confirmed. */
    blockHash: block?.hash ?? null,
    /** `null` in the mempool. */
    blockNumber: block?.number ?? null,
    /** s since the epoch. */
    blockTimestamp: block?.timestamp ?? null,
    from: transaction.sender,
    gas: quantity(transaction.gasLimit),
    /** wei; the price paid once executed, the maximum price before. */
    gasPrice: quantity(gasPrice),
    ...(type >= 2 && transaction.deposit === undefined
      ? {
          maxFeePerGas: quantity(transaction.maxFeePerGas),
          maxPriorityFeePerGas: quantity(transaction.maxPriorityFeePerGas),
        }
      : undefined),
    ...(type === 3 ? { maxFeePerBlobGas: quantity(transaction.maxFeePerBlobGas) } : undefined),
    hash: transaction.hash,
    input: toHex(transaction.data),
    nonce: quantity(transaction.nonce),
    to: to === undefined ? null : toHex(to),
    transactionIndex: index,
    value: quantity(transaction.value),
    type: quantity(type),
    ...(transaction.deposit === undefined
      ? { ...typedFields(transaction), ...signature(transaction) }
      : depositFields(transaction.deposit, block !== undefined)),
  }
}

/** Only of a deposit of the OP Stack, as op-geth has them. */
function depositFields({ sourceHash, mint }: DepositFields, isExecuted: boolean) {
  return {
    v: quantity(0n),
    r: quantity(0n),
    s: quantity(0n),
    sourceHash: toHex(sourceHash),
    // wei.
    ...(mint === 0n ? undefined : { mint: quantity(mint) }),
    // `nonce` is then that of the sender, and 0 before.
    ...(isExecuted ? { depositReceiptVersion: quantity(DEPOSIT_RECEIPT_VERSION) } : undefined),
  }
}

/** Fields of typed transactions; for a legacy one its chain id, if it has one (EIP-155). */
function typedFields(transaction: ChainTransaction) {
  const { type, chainId } = transaction
  const bound = chainId === undefined ? {} : { chainId: quantity(chainId) }
  if (type === 0) return bound
  return {
    accessList: transaction.accessList.map(([address, storageKeys]) => ({
      address: toHex(address),
      storageKeys: storageKeys.map(toHex),
    })),
    ...bound,
    ...(type === 3 ? { blobVersionedHashes: transaction.blobVersionedHashes } : undefined),
    ...(type === 4
      ? { authorizationList: transaction.authorizationList.map(formatAuthorization) }
      : undefined),
  }
}

function formatAuthorization([chainId, address, nonce, yParity, r, s]: AuthorizationFields) {
  const number = (bytes: Uint8Array) => quantity(bytesToBigInt(bytes))
  return {
    chainId: number(chainId),
    address: toHex(address),
    nonce: number(nonce),
    yParity: number(yParity),
    r: number(r),
    s: number(s),
  }
}

function signature({ raw, type }: ChainTransaction) {
  const { v, r, s } = signatureOf(raw)
  return {
    v: quantity(v),
    r: quantity(r),
    s: quantity(s),
    ...(type === 0 ? undefined : { yParity: quantity(v) }),
  }
}

/** The transaction at `index` of a block; `null` if there is none. */
export function formatTransactionAt(
  block: SealedBlock | PendingView,
  index: bigint,
): FormattedTransaction | null {
  const executed = block.executed[Number(index)]
  return executed === undefined ? null : formatTransaction(executed, blockRefOf(block))
}

/** EIP-2718 bytes of the transaction at `index` of a block; `null` if there is none. */
export function formatRawTransactionAt(
  { executed: all }: SealedBlock | PendingView,
  index: bigint,
): Hex | null {
  const executed = all[Number(index)]
  return executed === undefined ? null : toHex(executed.transaction.raw)
}

/** A transaction in its block or in the mempool. */
export function formatPlaced(found: TransactionLocation): FormattedTransaction {
  switch (found.at) {
    case 'sealed':
      return formatTransaction(found.executed, blockRefOf(found.block))
    case 'pending':
      return formatTransaction(found.executed, blockRefOf(found.view))
    case 'mempool':
      return formatPoolTransaction(found.transaction)
  }
}

/** The receipt of a transaction; `null` while it is in the mempool. */
export function formatPlacedReceipt(found: TransactionLocation): FormattedReceipt | null {
  if (found.at === 'mempool') return null
  return formatReceipt(found.executed, blockRefOf(found.at === 'sealed' ? found.block : found.view))
}
