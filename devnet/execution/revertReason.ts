import { bytesToBigInt } from '../chain/bytes.ts'

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
