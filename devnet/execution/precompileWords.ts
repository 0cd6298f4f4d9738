import { toHex } from '../chain/bytes.ts'
import type { FailedPrecompile } from '../engine/halt.ts'

/** Bytes that BLAKE2F takes (EIP-152). */
const BLAKE2F_LENGTH = 213

const ADD = 6
const MUL = 7
const PAIRING = 8
const KZG = 10

const WORD = 32

const BN254_FIELD = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n

/**
 * Why a precompile failed, in geth's words where the cause is known.
 *
 * @param failure - in the library's, which is not loaded here: whoever puts an error in words need not wait for the EVM
 */
export function precompileWords({ address, data }: FailedPrecompile, failure: string): string {
  switch (failure) {
    case 'value out of range':
      return data.length === BLAKE2F_LENGTH ? 'invalid final flag' : 'invalid input length'
    case 'invalid input length':
      return address === PAIRING ? 'bad elliptic curve pairing size' : failure
    case 'input is empty':
      return 'invalid input length'
    case 'kzg commitment does not match versioned hash':
      return 'mismatched versioned hash'
    case 'kzg proof invalid':
    case 'kzg inputs invalid':
      return 'error verifying kzg proof'
    case 'revert':
      return otherWords(address, data)
    default:
      return failure
  }
}

/** What the library has no word for, and so calls a revert. */
function otherWords(address: number, data: Uint8Array): string {
  if (address === KZG) return 'error verifying kzg proof'
  const size = address === ADD ? 4 * WORD : address === MUL ? 2 * WORD : data.length
  if (!isInField(data.subarray(0, size))) return 'invalid fp.Element encoding'
  if (address < PAIRING) return 'point is not on curve'
  return 'point is not on curve, or not in its subgroup'
}

/** Whether each coordinate is one of bn254's field (EIP-196). */
function isInField(coordinates: Uint8Array): boolean {
  for (let at = 0; at < coordinates.length; at += WORD) {
    // What the input does not reach is zero.
    const digits = toHex(coordinates.subarray(at, at + WORD)).padEnd(2 + 2 * WORD, '0')
    if (BigInt(digits) >= BN254_FIELD) return false
  }
  return true
}
