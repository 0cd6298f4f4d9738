import { type Moment, UNKNOWN_MOMENT } from '../primitives/moment.ts'
import { recentNumber } from '../primitives/recentItems.ts'
import {
  RLP_LIST,
  RLP_STRING,
  rlpListLength,
  rlpNumberLength,
  rlpStringLength,
  writeRlpHead,
  writeRlpNumber,
  writeRlpString,
} from '../primitives/rlp.ts'
import { type BloomBits, setBloomBits } from './bloom.ts'
import type { Halt } from './halt.ts'
import { DEPOSIT_RECEIPT_VERSION } from './rollup/depositTransaction.ts'
import type { L1Charge } from './rollup/l1Fee.ts'
import { type ChainTransaction, effectiveGasPrice } from './transaction.ts'

/**
 * A transaction with its position and outcome; sealing does not change it. Immutable, except that
 * the first pending view that shows it says when.
 */
export interface ExecutedTransaction {
  readonly transaction: ChainTransaction
  /** Position in the block. */
  readonly index: number
  readonly success: boolean
  /** State root after the transaction: only before Byzantium, instead of a status (EIP-658). */
  readonly stateRoot: Uint8Array | undefined
  readonly gasUsed: bigint
  readonly cumulativeGasUsed: bigint
  /** wei. */
  readonly effectiveGasPrice: bigint
  readonly logs: readonly RawLog[]
  /** Index of its first log within the block. */
  readonly firstLogIndex: number
  readonly bloomBits: BloomBits
  /** 20 bytes; only if the transaction creates a contract. */
  readonly contractAddress: Uint8Array | undefined
  readonly blobGasUsed: bigint | undefined
  /** wei; only with blobs. */
  readonly blobGasPrice: bigint | undefined
  /** The tick that executed it, counted from 0 in each block. */
  readonly tick: number
  /** As in `Execution`; {@link UNRECORDED_FRAMES} if another node executed the transaction. */
  readonly innerFrames: InnerFrames | undefined
  /** The moment at which readers of `"pending"` saw it first. */
  preconfirmedAt: Moment
  /** Only of a transaction that paid an L1 fee. */
  readonly l1Charge?: L1Charge | undefined
  /** Only of one that failed on this node, in this run. */
  readonly failed?: FailedExecution | undefined
}

/** Reason why the outermost frame of a transaction failed. */
export interface FailedExecution {
  readonly failure: Halt
  readonly invalidOpcode: number | undefined
  /** Its first {@link KEPT_RETURN_DATA} bytes. */
  readonly returnData: Uint8Array
}

/** Number of bytes that are kept of what a failed transaction returned: enough for a sentence. */
export const KEPT_RETURN_DATA = 512

/** Log in the library's form: address, topics, data. */
export type RawLog = readonly [address: Uint8Array, topics: readonly Uint8Array[], data: Uint8Array]

/**
 * The accounts that a transaction touched by the frames inside its outermost one, packed, because
 * they are kept with each transaction. Transactions may share one object. A character is a byte.
 */
export interface InnerFrames {
  /**
   * Addresses of 20 characters each, in order: callees, contracts and heirs of a SELFDESTRUCT,
   * those of failed frames included, without sender and recipient of the transaction.
   */
  readonly touched: string
  /** 40 characters for each contract that was created: its address, then that of its creator. */
  readonly created: string
}

/** Stands for inner frames that are not known. */
export const UNRECORDED_FRAMES: InnerFrames = { touched: '', created: '' }

/**
 * Results that only execution determines; the rest follows from the transaction and the block's
 * prices.
 */
type Outcome = Omit<
  ExecutedTransaction,
  | 'transaction'
  | 'effectiveGasPrice'
  | 'contractAddress'
  | 'blobGasUsed'
  | 'blobGasPrice'
  | 'preconfirmedAt'
> & { readonly createdAddress: Uint8Array | undefined }

export function makeExecuted(
  transaction: ChainTransaction,
  prices: { readonly baseFeePerGas: bigint; readonly blobBaseFee: bigint },
  outcome: Outcome,
): ExecutedTransaction {
  const hasBlobs = transaction.blobGas > 0n
  const executed = {
    transaction,
    index: outcome.index,
    success: outcome.success,
    stateRoot: outcome.stateRoot,
    gasUsed: recentNumber(outcome.gasUsed),
    cumulativeGasUsed: outcome.cumulativeGasUsed,
    effectiveGasPrice: recentNumber(effectiveGasPrice(transaction, prices.baseFeePerGas)),
    logs: outcome.logs,
    firstLogIndex: outcome.firstLogIndex,
    bloomBits: outcome.bloomBits,
    contractAddress: transaction.to === undefined ? outcome.createdAddress : undefined,
    blobGasUsed: hasBlobs ? transaction.blobGas : undefined,
    blobGasPrice: hasBlobs ? prices.blobBaseFee : undefined,
    tick: outcome.tick,
    innerFrames: outcome.innerFrames,
    preconfirmedAt: UNKNOWN_MOMENT,
  }
  const { l1Charge, failed } = outcome
  if (l1Charge === undefined && failed === undefined) return executed
  return { ...executed, ...(l1Charge && { l1Charge }), ...(failed && { failed }) }
}

/** Union of `bloom` and the blooms of these transactions, as a new array. */
export function withBlooms(
  bloom: Uint8Array,
  executed: readonly Pick<ExecutedTransaction, 'bloomBits'>[],
): Uint8Array {
  const merged = bloom.slice()
  for (const { bloomBits } of executed) setBloomBits(merged, bloomBits)
  return merged
}

/** The encodings of receipts in the receipts trie (EIP-658, EIP-2718), views of one array. */
export function encodeReceipts(list: readonly ExecutedTransaction[]): Uint8Array[] {
  let total = 0
  for (const executed of list) total += receiptLength(executed)
  const encoded = new Uint8Array(total)
  let start = 0
  return list.map((executed) => {
    const end = writeReceipt(encoded, start, executed)
    const receipt = encoded.subarray(start, end)
    start = end
    return receipt
  })
}

const BLOOM = 256

/** Length of the RLP of a bloom. */
const BLOOM_LENGTH = 3 + BLOOM

/** Length of the RLP of status, gas, bloom and logs, without the list prefix. */
function receiptContent(executed: ExecutedTransaction): number {
  return (
    (executed.stateRoot === undefined ? 1 : rlpStringLength(executed.stateRoot)) +
    rlpNumberLength(executed.cumulativeGasUsed) +
    BLOOM_LENGTH +
    rlpListLength(logsContent(executed.logs)) +
    depositLength(executed.transaction)
  )
}

/** Length of what the receipt of a deposit has besides (since Canyon). */
function depositLength({ deposit, nonce }: ChainTransaction): number {
  if (deposit === undefined) return 0
  return rlpNumberLength(nonce) + rlpNumberLength(DEPOSIT_RECEIPT_VERSION)
}

function receiptLength(executed: ExecutedTransaction): number {
  const typeLength = executed.transaction.type === 0 ? 0 : 1
  return typeLength + rlpListLength(receiptContent(executed))
}

/** @param target - holds only zeros from `start` on */
function writeReceipt(target: Uint8Array, start: number, executed: ExecutedTransaction): number {
  const { logs, stateRoot, success } = executed
  const { type } = executed.transaction
  let offset = start
  if (type !== 0) target[offset++] = type
  offset = writeRlpHead(target, offset, RLP_LIST, receiptContent(executed))
  if (stateRoot !== undefined) offset = writeRlpString(target, offset, stateRoot)
  else target[offset++] = success ? 1 : RLP_STRING
  offset = writeRlpNumber(target, offset, executed.cumulativeGasUsed)
  offset = writeRlpHead(target, offset, RLP_STRING, BLOOM)
  setBloomBits(target, executed.bloomBits, offset)
  offset = writeRlpHead(target, offset + BLOOM, RLP_LIST, logsContent(logs))
  for (const log of logs) offset = writeLog(target, offset, log)
  if (executed.transaction.deposit === undefined) return offset
  offset = writeRlpNumber(target, offset, executed.transaction.nonce)
  return writeRlpNumber(target, offset, DEPOSIT_RECEIPT_VERSION)
}

function logsContent(logs: readonly RawLog[]): number {
  let length = 0
  for (const log of logs) length += rlpListLength(logContent(log))
  return length
}

/** Length in bytes of the RLP of a log's address, topics and data, without the list prefix. */
function logContent([address, topics, data]: RawLog): number {
  return rlpStringLength(address) + rlpListLength(topicsContent(topics)) + rlpStringLength(data)
}

function topicsContent(topics: RawLog[1]): number {
  let length = 0
  for (const topic of topics) length += rlpStringLength(topic)
  return length
}

function writeLog(target: Uint8Array, start: number, log: RawLog): number {
  const [address, topics, data] = log
  let offset = writeRlpHead(target, start, RLP_LIST, logContent(log))
  offset = writeRlpString(target, offset, address)
  offset = writeRlpHead(target, offset, RLP_LIST, topicsContent(topics))
  for (const topic of topics) offset = writeRlpString(target, offset, topic)
  return writeRlpString(target, offset, data)
}
