import { bigIntTo32Bytes, bigIntToBytes, concatBytes, EMPTY_BYTES } from '../../primitives/bytes.ts'
import { fromHex } from '../../primitives/hex.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import type { Keccak256 } from '../../state/types.ts'
import type { TransactionFields } from '../transaction.ts'

// Deposits of the OP Stack: https://specs.optimism.io/protocol/deposits.html

/** EIP-2718 type of a deposit, which L1 orders: nobody signs it, and its gas is paid there. */
export const DEPOSIT_TYPE = 0x7e

export interface DepositFields {
  /** 32 bytes: tells apart deposits that are otherwise equal. */
  readonly sourceHash: Uint8Array
  /** wei that come into being for the sender, even if the deposit fails. */
  readonly mint: bigint
  /** Always false since Regolith. */
  readonly isSystemTx: boolean
}

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

/** Account that sends what opens a block; nobody has its key. */
export const DEPOSITOR = fromHex('0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001')

/** Origins of a deposit: a log on L1 asks for it, or it tells a block about L1. */
const DOMAINS = { user: 0n, l1Attributes: 1n }

/** The domain of the deposit that tells a block of Base its time. */
const BASE_TIME_DOMAIN = 3n

/**
 * Source hash of a deposit.
 *
 * @param l1BlockHash - 32 bytes
 * @param index - of the log in that block; or number of blocks since the first one that told of it
 */
export function depositSource(
  domain: keyof typeof DOMAINS,
  l1BlockHash: Uint8Array,
  index: bigint,
  keccak256: Keccak256,
): Uint8Array {
  const place = concatBytes(l1BlockHash, bigIntTo32Bytes(index))
  return sourceHash(DOMAINS[domain], place, keccak256)
}

/** Source hash of the deposit that tells the block of this number its time. */
export function baseTimeSource(number: bigint, keccak256: Keccak256): Uint8Array {
  return sourceHash(BASE_TIME_DOMAIN, bigIntTo32Bytes(number), keccak256)
}

function sourceHash(domain: bigint, place: Uint8Array, keccak256: Keccak256): Uint8Array {
  return keccak256(concatBytes(bigIntTo32Bytes(domain), keccak256(place)))
}
