import { encodeRlpList } from '../state/rlpWriter.ts'
import type { Keccak256 } from '../state/types.ts'
import { bigIntToBytes } from '../state/words.ts'

/** Header of a block; the optional fields are absent before the hardfork that brought them. */
export interface BlockHeader {
  readonly parentHash: Uint8Array
  readonly sha3Uncles: Uint8Array
  readonly coinbase: Uint8Array
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  /** 256 bytes. */
  readonly logsBloom: Uint8Array
  readonly difficulty: bigint
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** s since the epoch. */
  readonly timestamp: bigint
  readonly extraData: Uint8Array
  /** prevRandao since Paris (EIP-4399). */
  readonly mixHash: Uint8Array
  /** 8 bytes. */
  readonly nonce: Uint8Array
  /** wei (EIP-1559). */
  readonly baseFeePerGas?: bigint
  /** EIP-4895. */
  readonly withdrawalsRoot?: Uint8Array
  /** EIP-4844. */
  readonly blobGasUsed?: bigint
  /** EIP-4844. */
  readonly excessBlobGas?: bigint
  /** EIP-4788. */
  readonly parentBeaconBlockRoot?: Uint8Array
  /** EIP-7685. */
  readonly requestsHash?: Uint8Array
}

/** Where headers are encoded that are only hashed; long ones do without. */
const scratch = new Uint8Array(1024)

/** Hash of the block with this header. */
export function hashHeader(header: BlockHeader, keccak256: Keccak256): Uint8Array {
  return keccak256(encodeRlpList(headerFields(header), scratch))
}

/** RLP of the header. */
export function encodeHeader(header: BlockHeader): Uint8Array {
  return encodeRlpList(headerFields(header))
}

/** The fields in the order in which they are encoded. */
export function headerFields(header: BlockHeader): Uint8Array[] {
  const fields = [
    header.parentHash,
    header.sha3Uncles,
    header.coinbase,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    bigIntToBytes(header.difficulty),
    bigIntToBytes(header.number),
    bigIntToBytes(header.gasLimit),
    bigIntToBytes(header.gasUsed),
    bigIntToBytes(header.timestamp),
    header.extraData,
    header.mixHash,
    header.nonce,
  ]
  if (header.baseFeePerGas !== undefined) fields.push(bigIntToBytes(header.baseFeePerGas))
  if (header.withdrawalsRoot !== undefined) fields.push(header.withdrawalsRoot)
  if (header.blobGasUsed !== undefined) fields.push(bigIntToBytes(header.blobGasUsed))
  if (header.excessBlobGas !== undefined) fields.push(bigIntToBytes(header.excessBlobGas))
  if (header.parentBeaconBlockRoot !== undefined) fields.push(header.parentBeaconBlockRoot)
  if (header.requestsHash !== undefined) fields.push(header.requestsHash)
  return fields
}
