import type { RawLog } from '../engine/types.ts'
import { bigIntToBytes, EMPTY_BYTES } from '../primitives/bytes.ts'
import {
  RLP_LIST,
  rlpListLength,
  rlpStringLength,
  writeRlpHead,
  writeRlpString,
} from '../primitives/rlp.ts'
import { type ChainTransaction, effectiveGasPrice } from './transaction.ts'

/** A transaction with its position and outcome; sealing does not change it. Immutable. */
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
  /** 256 bytes. */
  readonly bloom: Uint8Array
  /** 20 bytes; only if the transaction creates a contract. */
  readonly contractAddress: Uint8Array | undefined
  readonly blobGasUsed: bigint | undefined
  /** wei; only with blobs. */
  readonly blobGasPrice: bigint | undefined
  /** The tick that executed it, counted from 0 in each block. */
  readonly tick: number
}

/** What only execution determines; the rest follows from the transaction and the block's prices. */
type Outcome = Omit<
  ExecutedTransaction,
  'transaction' | 'effectiveGasPrice' | 'contractAddress' | 'blobGasUsed' | 'blobGasPrice'
> & { readonly createdAddress: Uint8Array | undefined }

export function makeExecuted(
  transaction: ChainTransaction,
  prices: { readonly baseFeePerGas: bigint; readonly blobBaseFee: bigint },
  outcome: Outcome,
): ExecutedTransaction {
  const hasBlobs = transaction.blobGas > 0n
  return {
    transaction,
    index: outcome.index,
    success: outcome.success,
    stateRoot: outcome.stateRoot,
    gasUsed: outcome.gasUsed,
    cumulativeGasUsed: outcome.cumulativeGasUsed,
    effectiveGasPrice: effectiveGasPrice(transaction, prices.baseFeePerGas),
    logs: outcome.logs,
    firstLogIndex: outcome.firstLogIndex,
    bloom: outcome.bloom,
    contractAddress: transaction.to === undefined ? outcome.createdAddress : undefined,
    blobGasUsed: hasBlobs ? transaction.blobGas : undefined,
    blobGasPrice: hasBlobs ? prices.blobBaseFee : undefined,
    tick: outcome.tick,
  }
}

/** Union of `bloom` and the blooms of these transactions, as a new array. */
export function withBlooms(
  bloom: Uint8Array,
  executed: readonly Pick<ExecutedTransaction, 'logs' | 'bloom'>[],
): Uint8Array {
  const merged = bloom.slice()
  for (const one of executed) {
    if (one.logs.length === 0) continue
    for (let byte = 0; byte < merged.length; byte++) {
      merged[byte] = (merged[byte] ?? 0) | (one.bloom[byte] ?? 0)
    }
  }
  return merged
}

const SUCCESS = Uint8Array.of(1)

/** The receipt's encoding in the receipts trie (EIP-658, EIP-2718). */
export function encodeReceipt(executed: ExecutedTransaction): Uint8Array {
  const { logs, bloom } = executed
  const status = executed.stateRoot ?? (executed.success ? SUCCESS : EMPTY_BYTES)
  const gas = bigIntToBytes(executed.cumulativeGasUsed)
  let logsLength = 0
  for (const log of logs) logsLength += rlpListLength(logContent(log))
  const content =
    rlpStringLength(status) +
    rlpStringLength(gas) +
    rlpStringLength(bloom) +
    rlpListLength(logsLength)
  const { type } = executed.transaction
  const typeLength = type === 0 ? 0 : 1
  const encoded = new Uint8Array(typeLength + rlpListLength(content))
  if (type !== 0) encoded[0] = type
  let offset = writeRlpHead(encoded, typeLength, RLP_LIST, content)
  offset = writeRlpString(encoded, offset, status)
  offset = writeRlpString(encoded, offset, gas)
  offset = writeRlpString(encoded, offset, bloom)
  offset = writeRlpHead(encoded, offset, RLP_LIST, logsLength)
  for (const log of logs) offset = writeLog(encoded, offset, log)
  return encoded
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
