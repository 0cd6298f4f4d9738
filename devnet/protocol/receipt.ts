import type { RawLog } from '../engine/types.ts'
import { bigIntToBytes, EMPTY_BYTES } from '../primitives/bytes.ts'
import {
  RLP_LIST,
  rlpListLength,
  rlpStringLength,
  writeRlpHead,
  writeRlpString,
} from '../primitives/rlp.ts'
import type { ChainTransaction } from './transaction.ts'

/** A transaction with its place in a block and its outcome; sealing changes nothing of it. Immutable. */
export interface ExecutedTransaction {
  readonly transaction: ChainTransaction
  /** Position in the block. */
  readonly index: number
  readonly success: boolean
  /** State root after it, in place of `success` in the receipt before Byzantium (EIP-658). */
  readonly stateRoot: Uint8Array | undefined
  readonly gasUsed: bigint
  readonly cumulativeGasUsed: bigint
  /** wei. */
  readonly effectiveGasPrice: bigint
  readonly logs: readonly RawLog[]
  /** Index in the block of its first log. */
  readonly firstLogIndex: number
  /** 256 bytes. */
  readonly bloom: Uint8Array
  /** 20 bytes; only where the transaction created a contract. */
  readonly contractAddress: Uint8Array | undefined
  readonly blobGasUsed: bigint | undefined
  /** wei; only with blobs. */
  readonly blobGasPrice: bigint | undefined
  /** The tick of its block that took it, counted from 0. */
  readonly tick: number
}

const SUCCESS = Uint8Array.of(1)

/** Receipt as it stands in the receipts trie (EIP-658, EIP-2718). */
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

/** Bytes of address, topics and data of a log. */
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
