import { bigIntTo32Bytes, bigIntToBytes, concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import type { Keccak256 } from '../../state/types.ts'
import type { TransactionFields } from '../transaction.ts'

// Deposits of the OP Stack: https://specs.optimism.io/protocol/deposits.html

/** EIP-2718 type of a deposit, which L1 orders: nobody signs it, and its gas is paid there. */
export const DEPOSIT_TYPE = 0x7e

/** What only a deposit has. */
export interface DepositFields {
  /** 32 bytes: tells apart deposits that are otherwise equal. */
  readonly sourceHash: Uint8Array
  /** wei that come into being for the sender, even if the deposit fails. */
  readonly mint: bigint
  /** Always false since Regolith. */
  readonly isSystemTx: boolean
}

/** Number of fields of an encoded deposit. */
export const DEPOSIT_FIELD_COUNT = 8

/** Version of the receipts of deposits: since Canyon, their encoding has the sender's nonce. */
export const DEPOSIT_RECEIPT_VERSION = 1n

type DepositParameters = Pick<TransactionFields, 'from' | 'to' | 'value' | 'gasLimit' | 'data'> &
  DepositFields

/** EIP-2718 bytes of a deposit. */
export function encodeDeposit(deposit: DepositParameters): Uint8Array {
  const { sourceHash, from, to = EMPTY_BYTES, mint, value, gasLimit, isSystemTx, data } = deposit
  const numbers = [mint, value, gasLimit, isSystemTx ? 1n : 0n].map(bigIntToBytes)
  return encodeRlp([sourceHash, from, to, ...numbers, data], DEPOSIT_TYPE)
}

/** What a deposit comes from: the domain of its source hash. */
const USER_DEPOSIT = 0n
const L1_ATTRIBUTES = 1n

/**
 * Source hash of a deposit that a log on L1 asks for.
 *
 * @param l1BlockHash - 32 bytes
 * @param logIndex - index of the log in that block
 */
export function userDepositSource(
  l1BlockHash: Uint8Array,
  logIndex: bigint,
  keccak256: Keccak256,
): Uint8Array {
  return sourceHash(USER_DEPOSIT, l1BlockHash, logIndex, keccak256)
}

/**
 * Source hash of the deposit that tells a block about L1.
 *
 * @param l1BlockHash - 32 bytes
 * @param sequenceNumber - number of blocks since the first one that told of this L1 block
 */
export function l1AttributesSource(
  l1BlockHash: Uint8Array,
  sequenceNumber: bigint,
  keccak256: Keccak256,
): Uint8Array {
  return sourceHash(L1_ATTRIBUTES, l1BlockHash, sequenceNumber, keccak256)
}

function sourceHash(
  domain: bigint,
  l1BlockHash: Uint8Array,
  index: bigint,
  keccak256: Keccak256,
): Uint8Array {
  const place = keccak256(concatBytes(l1BlockHash, bigIntTo32Bytes(index)))
  return keccak256(concatBytes(bigIntTo32Bytes(domain), place))
}
