import type { Execution, FailedPrecompile } from '../engine/types.ts'
import { bytesToBigInt, WORD } from '../primitives/bytes.ts'
import { quantity, toHex } from '../primitives/hex.ts'
import { opcodeName } from '../protocol/opcodes.ts'

// The EVM library's error texts are literals here, so that formatting one does not load the EVM.

/** The part of an execution that tells why it failed. */
export type Failure = Pick<Execution, 'failure' | 'failureDetails' | 'returnData'>

/** Why a call failed, in geth's words. */
export function failureMessage({
  failure = 'unknown',
  failureDetails,
  returnData,
}: Failure): string {
  const { precompile, opcode, outOfReturnData } = failureDetails ?? {}
  if (precompile !== undefined) return precompileMessage(precompile, failure)
  if (failure === REVERT) return revertMessage(returnData)
  if (outOfReturnData === true) return 'return data out of bounds'
  if (failure === 'invalid opcode' && opcode !== undefined) {
    return `invalid opcode: ${opcodeName(opcode)}`
  }
  return GETH_REASONS[failure] ?? failure
}

const REVERT = 'revert'

/** Whether the code reverted. The library reports some failures of precompiles as reverts, too. */
export function isRevert({ failure, failureDetails }: Failure): boolean {
  return failure === REVERT && failureDetails?.precompile === undefined
}

/** Whether the call ran out of gas. */
export function isOutOfGas({ failure, failureDetails }: Failure): boolean {
  return failure === 'out of gas' && failureDetails?.outOfReturnData !== true
}

/** The library's reason for a halt → geth's; only those that differ. */
const GETH_REASONS: Readonly<Record<string, string>> = {
  'code store out of gas': 'contract creation code storage out of gas',
  'code size to deposit exceeds maximum code size': 'max code size exceeded',
  'stack overflow': 'stack limit reached 1024 (1023)',
  'invalid JUMP': 'invalid jump destination',
  'static state change': 'write protection',
  'create collision': 'contract address collision',
  'insufficient balance': 'insufficient balance for transfer',
  'invalid bytecode deployed': 'invalid code: must not begin with 0xef',
  'initcode exceeds max initcode size': 'max initcode size exceeded',
}

/** geth's message for a revert with these bytes. */
export function revertMessage(data: Uint8Array): string {
  const reason = revertReason(data)
  return reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
}

/** Selector of `Error(string)`: a `require` or `revert` with a message. */
const ERROR_SELECTOR = 0x08c379a0

/** Selector of `Panic(uint256)`: a failed check that Solidity inserted. */
const PANIC_SELECTOR = 0x4e487b71

/** The panic codes in geth's words. */
const PANICS: Readonly<Record<string, string>> = {
  '0x0': 'generic panic',
  '0x1': 'assert(false)',
  '0x11': 'arithmetic underflow or overflow',
  '0x12': 'division or modulo by zero',
  '0x21': 'enum overflow',
  '0x22': 'invalid encoded storage byte array accessed',
  '0x31': 'out-of-bounds array access; popping on an empty array',
  '0x32': 'out-of-bounds access of an array or bytesN',
  '0x41': 'out of memory',
  '0x51': 'uninitialized function',
}

/** Message of `Error(string)` or meaning of `Panic(uint256)`; `undefined` for other data. */
export function revertReason(data: Uint8Array): string | undefined {
  if (data.length < 4) return undefined
  const selector = new DataView(data.buffer, data.byteOffset, data.length).getUint32(0)
  const body = data.subarray(4)
  if (selector === ERROR_SELECTOR) return decodeString(body)
  if (selector !== PANIC_SELECTOR || body.length < WORD) return undefined
  const code = quantity(bytesToBigInt(body.subarray(0, WORD)))
  return PANICS[code] ?? `unknown panic code: ${code}`
}

/** The string that `body` encodes (Solidity ABI); `undefined` if it is malformed. */
function decodeString(body: Uint8Array): string | undefined {
  const offset = readLength(body, 0)
  if (offset === undefined) return undefined
  const length = readLength(body, offset)
  const start = offset + WORD
  if (length === undefined || start + length > body.length) return undefined
  return new TextDecoder().decode(body.subarray(start, start + length))
}

/** The offset or length in the word at `at`; `undefined` if it lies beyond `body`. */
function readLength(body: Uint8Array, at: number): number | undefined {
  if (at + WORD > body.length) return undefined
  const value = bytesToBigInt(body.subarray(at, at + WORD))
  return value <= BigInt(body.length) ? Number(value) : undefined
}

/** Addresses of precompiles. */
const ADD = 6
const MUL = 7
const PAIRING = 8
const KZG = 10

/** Length of BLAKE2F's input in bytes (EIP-152). */
const BLAKE2F_LENGTH = 213

const BN254_FIELD = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n

/**
 * Why a precompile failed, in geth's words if the cause is known.
 *
 * @param failure - reason that the EVM library gives
 */
export function precompileMessage({ address, data }: FailedPrecompile, failure: string): string {
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
    case REVERT:
      return invalidPointMessage(address, data)
    default:
      return failure
  }
}

/** The message for a bad curve point in a precompile's input; the library reports only a revert. */
function invalidPointMessage(address: number, data: Uint8Array): string {
  if (address === KZG) return 'error verifying kzg proof'
  const size = address === ADD ? 4 * WORD : address === MUL ? 2 * WORD : data.length
  if (!isInField(data.subarray(0, size))) return 'invalid fp.Element encoding'
  if (address < PAIRING) return 'point is not on curve'
  return 'point is not on curve, or not in its subgroup'
}

/** Whether each coordinate lies in bn254's field (EIP-196). */
function isInField(coordinates: Uint8Array): boolean {
  for (let at = 0; at < coordinates.length; at += WORD) {
    // Missing input bytes count as zero.
    const digits = toHex(coordinates.subarray(at, at + WORD)).padEnd(2 + 2 * WORD, '0')
    if (BigInt(digits) >= BN254_FIELD) return false
  }
  return true
}
