import { bigIntToBytes, EMPTY_BYTES } from '../primitives/bytes.ts'
import { fromHex } from '../primitives/hex.ts'
import { encodeRlpList } from '../primitives/rlp.ts'
import { EMPTY_ROOT } from '../state/trie/persistentTrie.ts'
import type { Keccak256 } from '../state/types.ts'
import type { BlockContext } from './blockContext.ts'
import type { ForkRules } from './forks.ts'

/** Header of a block; optional fields are absent before the hardfork that added them. */
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
  /** EIP-7928. */
  readonly blockAccessListHash?: Uint8Array
  /** EIP-7843. */
  readonly slotNumber?: bigint
}

/** Header fields that are known before the block is executed. */
export interface HeaderEnvironment extends Omit<BlockContext, 'blobBaseFee'> {
  readonly excessBlobGas: bigint
  readonly parentBeaconBlockRoot: Uint8Array
  readonly rules: Pick<
    ForkRules,
    'baseFee' | 'withdrawals' | 'blobs' | 'requests' | 'blockAccessLists'
  >
}

/** Header fields that are known once the block is executed. Default: those of an empty block. */
export type BlockResults = Pick<BlockHeader, 'stateRoot'> &
  Partial<
    Omit<BlockHeader, keyof HeaderEnvironment | 'parentHash' | 'mixHash' | 'blockAccessListHash'>
  > & { readonly blockAccessListHash?: Uint8Array | undefined }

/** keccak-256 of the RLP of an empty list: no uncles. */
export const EMPTY_UNCLES_HASH = fromHex(
  '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
)

/** keccak-256 of the RLP of an empty list: a block that accesses nothing (EIP-7928). */
export const EMPTY_ACCESS_LIST_HASH = EMPTY_UNCLES_HASH

/** SHA-256 of nothing: no requests (EIP-7685). */
export const EMPTY_REQUESTS_HASH = fromHex(
  '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
)

export const EMPTY_NONCE = new Uint8Array(8)

/** Shared by all blocks without logs; never written to. */
export const EMPTY_BLOOM = new Uint8Array(256)

/** Header of a block, with the fields that its hardfork has. */
export function makeHeader(
  environment: HeaderEnvironment,
  parentHash: Uint8Array,
  results: BlockResults,
): BlockHeader {
  const { rules } = environment
  return {
    parentHash,
    sha3Uncles: results.sha3Uncles ?? EMPTY_UNCLES_HASH,
    coinbase: environment.coinbase,
    stateRoot: results.stateRoot,
    transactionsRoot: results.transactionsRoot ?? EMPTY_ROOT,
    receiptsRoot: results.receiptsRoot ?? EMPTY_ROOT,
    logsBloom: results.logsBloom ?? EMPTY_BLOOM,
    difficulty: environment.difficulty,
    number: environment.number,
    gasLimit: environment.gasLimit,
    gasUsed: results.gasUsed ?? 0n,
    timestamp: environment.timestamp,
    extraData: results.extraData ?? EMPTY_BYTES,
    mixHash: environment.prevRandao,
    nonce: results.nonce ?? EMPTY_NONCE,
    ...(rules.baseFee ? { baseFeePerGas: environment.baseFeePerGas } : {}),
    ...(rules.withdrawals ? { withdrawalsRoot: results.withdrawalsRoot ?? EMPTY_ROOT } : {}),
    ...(rules.blobs
      ? {
          blobGasUsed: results.blobGasUsed ?? 0n,
          excessBlobGas: environment.excessBlobGas,
          parentBeaconBlockRoot: environment.parentBeaconBlockRoot,
        }
      : {}),
    ...(rules.requests ? { requestsHash: results.requestsHash ?? EMPTY_REQUESTS_HASH } : {}),
    ...(rules.blockAccessLists
      ? {
          blockAccessListHash: results.blockAccessListHash ?? EMPTY_ACCESS_LIST_HASH,
          slotNumber: environment.slotNumber,
        }
      : {}),
  }
}

/** Encoding buffer of {@link hashHeader}; headers that do not fit get a buffer of their own. */
const scratch = new Uint8Array(1024)

export function hashHeader(header: BlockHeader, keccak256: Keccak256): Uint8Array {
  return keccak256(encodeRlpList(headerFields(header), scratch))
}

export function encodeHeader(header: BlockHeader): Uint8Array {
  return encodeRlpList(headerFields(header))
}

/**
 * The fields in the order in which they are encoded. Written out because every seal hashes a
 * header, and a loop over `HEADER_FIELDS` takes two to three times as long.
 */
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
  if (header.blockAccessListHash !== undefined) fields.push(header.blockAccessListHash)
  if (header.slotNumber !== undefined) fields.push(bigIntToBytes(header.slotNumber))
  return fields
}
