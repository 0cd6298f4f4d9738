import type { Execution, FailedPrecompile } from '../engine/types.ts'
import { bytesToBigInt } from '../primitives/bytes.ts'
import { toHex } from '../primitives/hex.ts'

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

/** Selector of `Error(string)`, which `require` and `revert` with a text encode. */
const ERROR_SELECTOR = 0x08c379a0

/** Selector of `Panic(uint256)`, which Solidity's own checks encode. */
const PANIC_SELECTOR = 0x4e487b71

/** Meaning of the panic codes, in geth's words. */
const PANICS: Readonly<Record<string, string>> = {
  '0': 'generic panic',
  '1': 'assert(false)',
  '17': 'arithmetic underflow or overflow',
  '18': 'division or modulo by zero',
  '33': 'enum overflow',
  '34': 'invalid encoded storage byte array accessed',
  '49': 'out-of-bounds array access; popping on an empty array',
  '50': 'out-of-bounds access of an array or bytesN',
  '65': 'out of memory',
  '81': 'uninitialized function',
}

/**
 * What a failed call says about a revert, in geth's words.
 *
 * @param data - what the code returned
 *
 * @example
 * revertMessage(new Uint8Array(0)) // 'execution reverted'
 */
export function revertMessage(data: Uint8Array): string {
  const reason = revertReason(data)
  return reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
}

/** The text of `Error(string)` or the meaning of `Panic(uint256)`; `undefined` for all other data. */
export function revertReason(data: Uint8Array): string | undefined {
  if (data.length < 4) return undefined
  const selector = new DataView(data.buffer, data.byteOffset, data.length).getUint32(0)
  const body = data.subarray(4)
  if (selector === ERROR_SELECTOR) return decodeString(body)
  if (selector !== PANIC_SELECTOR || body.length < 32) return undefined
  const code = bytesToBigInt(body.subarray(0, 32))
  return PANICS[code.toString()] ?? `unknown panic code: 0x${code.toString(16)}`
}

/** The one string that `body` encodes (Solidity ABI); `undefined` where it does not. */
function decodeString(body: Uint8Array): string | undefined {
  const offset = readLength(body, 0)
  if (offset === undefined) return undefined
  const length = readLength(body, offset)
  if (length === undefined || offset + 32 + length > body.length) return undefined
  return new TextDecoder().decode(body.subarray(offset + 32, offset + 32 + length))
}

/** A word that counts bytes of `body`; `undefined` where there is none, or it is larger than that. */
function readLength(body: Uint8Array, at: number): number | undefined {
  if (at + 32 > body.length) return undefined
  const value = bytesToBigInt(body.subarray(at, at + 32))
  return value <= BigInt(body.length) ? Number(value) : undefined
}

/** The library's words for a halt of code, and geth's. */
const REASONS: Readonly<Record<string, string>> = {
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

/** Opcodes that geth knows by name in hardforks that lack them. */
const OPCODES: Readonly<Record<number, string>> = {
  30: 'CLZ',
  73: 'BLOBHASH',
  74: 'BLOBBASEFEE',
  92: 'TLOAD',
  93: 'TSTORE',
  94: 'MCOPY',
  95: 'PUSH0',
  254: 'INVALID',
}

/** What of an execution says why it failed. */
export type Failure = Pick<Execution, 'failure' | 'failureDetails' | 'returnData'>

/** The library's word for a revert. */
const REVERT = 'revert'

/** Whether the code gave up on purpose, and may have said why. The library has that word for precompiles, too, which never do. */
export function isRevert({ failure, failureDetails }: Failure): boolean {
  return failure === REVERT && failureDetails?.precompile === undefined
}

/** Whether the call failed for want of gas. */
export function isOutOfGas({ failure, failureDetails }: Failure): boolean {
  return failure === 'out of gas' && failureDetails?.outOfReturnData !== true
}

/** Why a failed call failed, in geth's words. */
export function failureMessage({
  failure = 'unknown',
  failureDetails,
  returnData,
}: Failure): string {
  if (failureDetails?.precompile !== undefined)
    return precompileWords(failureDetails.precompile, failure)
  if (failure === REVERT) return revertMessage(returnData)
  if (failureDetails?.outOfReturnData === true) return 'return data out of bounds'
  if (failure !== 'invalid opcode' || failureDetails?.opcode === undefined)
    return haltReason(failure)
  const { opcode } = failureDetails
  const name = OPCODES[opcode] ?? `opcode 0x${opcode.toString(16)} not defined`
  return `invalid opcode: ${name}`
}

function haltReason(failure: string): string {
  return REASONS[failure] ?? failure
}
