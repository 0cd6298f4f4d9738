import type { EVMError } from '@ethereumjs/evm'
import { WORD } from '../../primitives/bytes.ts'
import { toHex } from '../../primitives/hex.ts'
import { maxCostOf } from '../../protocol/fees.ts'
import type { Halt } from '../../protocol/halt.ts'
import type { TransactionFields } from '../../protocol/transaction.ts'
import { type Refusal, TransactionRefused } from '../../protocol/transactionRefused.ts'

// Translates all error messages of @ethereumjs. This file imports no part of it.

/** Reason why a frame failed. */
const HALTS: Readonly<Record<string, Halt>> = {
  revert: 'revert',
  'out of gas': 'outOfGas',
  'code store out of gas': 'codeStoreOutOfGas',
  'stack underflow': 'stackUnderflow',
  'stack overflow': 'stackOverflow',
  'invalid JUMP': 'invalidJump',
  'invalid opcode': 'invalidOpcode',
  'static state change': 'writeProtection',
  'create collision': 'createCollision',
  'insufficient balance': 'insufficientBalance',
  'value overflow': 'valueOverflow',
  'code size to deposit exceeds maximum code size': 'codeSize',
  'initcode exceeds max initcode size': 'initCodeSize',
  'invalid bytecode deployed': 'invalidCode',
  'invalid input length': 'inputLength',
  'input is empty': 'inputLength',
  'fp point not in field': 'notInField',
  'point not on curve': 'blsNotOnCurve',
  'kzg commitment does not match versioned hash': 'versionedHash',
  'kzg proof invalid': 'kzgProof',
  'kzg inputs invalid': 'kzgProof',
  'value out of range': 'outOfRange',
  'internal error': 'internal',
  'refund exhausted': 'internal',
  'invalid EOF format': 'internal',
} satisfies Record<Exclude<EVMError['error'], 'stop'>, Halt>

/** Place in the code at which a jump failed, which the library adds to its words. */
const PLACE = / at 0x.*$/s

/** Reason why a frame ended; `undefined` if it stopped. */
export function toHalt({ error }: EVMError): Halt | undefined {
  const words = error.replace(PLACE, '')
  return words === 'stop' ? undefined : (HALTS[words] ?? 'internal')
}

/** Addresses of precompiles. */
const ADD = 6
const MUL = 7
const PAIRING = 8
const KZG = 10

/** Length of BLAKE2F's input in bytes (EIP-152). */
const BLAKE2F_LENGTH = 213

const BN254_FIELD = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n

export interface CalledPrecompile {
  /** Original address, even if the precompile was moved; 1 is ECRECOVER. */
  readonly address: number
  readonly data: Uint8Array
}

/** Reason why a precompile failed: the library has the same words for several reasons. */
export function toPrecompileHalt(
  error: EVMError,
  { address, data }: CalledPrecompile,
): Halt | undefined {
  const halt = toHalt(error)
  if (halt === 'outOfRange') return data.length === BLAKE2F_LENGTH ? 'finalFlag' : 'inputLength'
  if (halt === 'inputLength' && address === PAIRING) return 'pairingSize'
  return halt === 'revert' ? pointHalt(address, data) : halt
}

/** The problem with a curve point, of which the library says only that it reverts. */
function pointHalt(address: number, data: Uint8Array): Halt {
  if (address === KZG) return 'kzgProof'
  const size = address === ADD ? 4 * WORD : address === MUL ? 2 * WORD : data.length
  if (!isInField(data.subarray(0, size))) return 'fieldElement'
  return address < PAIRING ? 'notOnCurve' : 'notInSubgroup'
}

/** True if each coordinate lies in bn254's field (EIP-196). */
function isInField(coordinates: Uint8Array): boolean {
  for (let at = 0; at < coordinates.length; at += WORD) {
    // Missing input bytes count as zero.
    const digits = toHex(coordinates.subarray(at, at + WORD)).padEnd(2 + 2 * WORD, '0')
    if (BigInt(digits) >= BN254_FIELD) return false
  }
  return true
}

/** The library's words if no block can include a transaction. */
const REFUSALS: readonly (readonly [Refusal, RegExp])[] = [
  ['intrinsicGas', /^INTRINSIC_GAS_TOO_LOW: tx gas limit (?<have>\d+) .*? of (?<want>\d+)/],
  ['intrinsicCap', /^Transaction intrinsic regular gas (?<have>\d+) .*? \((?<want>\d+)\)/],
  ['gasPrice', /^Transaction's gasPrice \((?<have>\d+)\) .*? \((?<want>\d+)\)/],
  ['maxFeePerGas', /^Transaction's maxFeePerGas \((?<have>\d+)\) .*? \((?<want>\d+)\)/],
  ['maxFeePerBlobGas', /^Transaction's maxFeePerBlobGas (?<have>\d+)\) .*? \((?<want>\d+)\)/],
  ['senderCode', /^invalid sender address, address is not EOA/],
  ['funds', /^sender doesn't have enough funds .*? only has: (?<have>\d+)/],
  ['nonce', /^the tx doesn't have the correct nonce\. .*? of: (?<want>\d+) .*? of: (?<have>\d+)/],
]

/** Context that the library appends to its messages. */
const CONTEXT = / \((vm hf|tx type)=.*$/s

/** The error to throw for what the library threw instead of executing a transaction. */
export function toRefusal(error: unknown, fields: TransactionFields): unknown {
  if (!(error instanceof Error)) return error
  for (const [kind, pattern] of REFUSALS) {
    const match = pattern.exec(error.message)
    if (match === null) continue
    const { have = 0, want = 0 } = match.groups ?? {}
    // The library compares with the current price first; the error names the highest one.
    const least = kind === 'funds' ? maxCostOf(fields) : BigInt(want)
    return new TransactionRefused(kind, BigInt(have), least)
  }
  const reason = error.message.replace(CONTEXT, '')
  return reason === error.message ? error : new Error(reason, { cause: error })
}
