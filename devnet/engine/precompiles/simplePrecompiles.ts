import { hash } from 'node:crypto'
import { EMPTY_BYTES, padTo32 } from '../../primitives/bytes.ts'
import type { Halt } from '../../protocol/halt.ts'
import { type Crypto, recoverAddress } from '../crypto.ts'

export interface PrecompileOutcome {
  readonly gasUsed: number
  readonly output: Uint8Array
  /** Reason why it failed; `undefined` on success. */
  readonly failure: Halt | undefined
}

interface Simple {
  readonly gas: number
  /** Per word of input. */
  readonly wordGas: number
  run(data: Uint8Array, crypto: Crypto): Uint8Array
}

/** ECRECOVER, SHA256, RIPEMD160 and IDENTITY. All hardforks have them at these prices. */
const simple: ReadonlyMap<number, Simple> = new Map([
  [1, { gas: 3_000, wordGas: 0, run: recoverSigner }],
  [2, { gas: 60, wordGas: 12, run: (data) => hash('sha256', data, 'buffer') }],
  [3, { gas: 600, wordGas: 120, run: (data) => padTo32(hash('ripemd160', data, 'buffer')) }],
  [4, { gas: 15, wordGas: 3, run: (data) => data }],
])

/**
 * Runs a precompile that needs nothing of the library, which takes 200 ms of CPU to load: suites
 * that check a signature need no more of it. `undefined` for the others.
 *
 * @param number - 1 is ECRECOVER
 * @param data - may be returned
 */
export function runSimple(
  number: number,
  data: Uint8Array,
  gas: number,
  crypto: Crypto,
): PrecompileOutcome | undefined {
  const precompile = simple.get(number)
  if (precompile === undefined) return undefined
  const gasUsed = precompile.gas + precompile.wordGas * Math.ceil(data.length / 32)
  if (gasUsed > gas) return { gasUsed: gas, output: EMPTY_BYTES, failure: 'outOfGas' }
  return { gasUsed, output: precompile.run(data, crypto), failure: undefined }
}

/** Returns nothing if nobody can have signed this. A high s is allowed, unlike in transactions. */
function recoverSigner(data: Uint8Array, crypto: Crypto): Uint8Array {
  const input = new Uint8Array(128)
  input.set(data.subarray(0, 128))
  const v = input[63] ?? 0
  const isV = (v === 27 || v === 28) && input.subarray(32, 63).every((byte) => byte === 0)
  if (!isV) return EMPTY_BYTES
  try {
    return padTo32(recoverAddress(crypto, input.subarray(0, 32), input.subarray(64), v - 27))
  } catch {
    // An invalid signature is no failure here: the caller gets no address.
    return EMPTY_BYTES
  }
}
