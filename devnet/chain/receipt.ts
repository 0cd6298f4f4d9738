import { RLP } from '@ethereumjs/rlp'
import type { RawLog } from '../engine/executor.ts'
import { EMPTY_BYTES } from '../state/codes.ts'
import { bigIntToBytes } from '../state/words.ts'
import { concatBytes } from './bytes.ts'
import type { ChainTransaction } from './transaction.ts'

/** A transaction with its place in a block and its outcome; sealing changes nothing of it. Immutable. */
export interface ExecutedTransaction {
  readonly transaction: ChainTransaction
  /** Position in the block. */
  readonly index: number
  readonly success: boolean
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
  const encoded = RLP.encode([
    executed.success ? SUCCESS : EMPTY_BYTES,
    bigIntToBytes(executed.cumulativeGasUsed),
    executed.bloom,
    // The encoder takes readonly arrays as well; only its types ask for mutable ones.
    executed.logs as unknown as Parameters<typeof RLP.encode>[0],
  ])
  const { type } = executed.transaction
  return type === 0 ? encoded : concatBytes(Uint8Array.of(type), encoded)
}
