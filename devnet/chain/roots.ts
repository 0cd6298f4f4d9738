import { EMPTY_BYTES } from '../state/codes.ts'
import { EMPTY_ROOT } from '../state/persistentTrie.ts'
import { fromHex } from './bytes.ts'
import type { BlockEnvironment } from './environment.ts'
import type { BlockHeader } from './header.ts'

/** keccak-256 of the RLP of an empty list: no uncles. */
export const EMPTY_UNCLES_HASH = fromHex(
  '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
)

/** SHA-256 of nothing: no requests (EIP-7685). */
export const EMPTY_REQUESTS_HASH = fromHex(
  '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
)

export const EMPTY_NONCE = new Uint8Array(8)

/** What of a header is known once the block has been executed. */
export interface BlockResults {
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  readonly logsBloom: Uint8Array
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly requestsHash: Uint8Array
  /** Default: none. */
  readonly extraData?: Uint8Array
  /** 8 bytes; default: zeros. */
  readonly nonce?: Uint8Array
  /** Default: that of no uncles. */
  readonly sha3Uncles?: Uint8Array
  /** Default: that of no withdrawals. */
  readonly withdrawalsRoot?: Uint8Array
}

/** Header of a block, with the fields that its hardfork has. */
export function makeHeader(
  environment: Omit<BlockEnvironment, 'parent'>,
  parentHash: Uint8Array,
  results: BlockResults,
): BlockHeader {
  const { rules } = environment
  return {
    parentHash,
    sha3Uncles: results.sha3Uncles ?? EMPTY_UNCLES_HASH,
    coinbase: environment.coinbase,
    stateRoot: results.stateRoot,
    transactionsRoot: results.transactionsRoot,
    receiptsRoot: results.receiptsRoot,
    logsBloom: results.logsBloom,
    difficulty: environment.difficulty,
    number: environment.number,
    gasLimit: environment.gasLimit,
    gasUsed: results.gasUsed,
    timestamp: environment.timestamp,
    extraData: results.extraData ?? EMPTY_BYTES,
    mixHash: environment.prevRandao,
    nonce: results.nonce ?? EMPTY_NONCE,
    ...(rules.baseFee ? { baseFeePerGas: environment.baseFeePerGas } : {}),
    ...(rules.withdrawals ? { withdrawalsRoot: results.withdrawalsRoot ?? EMPTY_ROOT } : {}),
    ...(rules.blobs
      ? {
          blobGasUsed: results.blobGasUsed,
          excessBlobGas: environment.excessBlobGas,
          parentBeaconBlockRoot: environment.parentBeaconBlockRoot,
        }
      : {}),
    ...(rules.requests ? { requestsHash: results.requestsHash } : {}),
  }
}
