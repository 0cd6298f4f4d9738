import { hash } from 'node:crypto'
import { bytesToBigInt, EMPTY_BYTES, padTo32 } from '../../primitives/bytes.ts'
import type { Halt } from '../../protocol/halt.ts'
import { type Crypto, recoverAddress } from '../crypto.ts'

export interface PrecompileOutcome {
  readonly gasUsed: number
  readonly output: Uint8Array
  /** Reason why it failed; `undefined` on success. */
  readonly failure: Halt | undefined
}

type Run = (data: Uint8Array, crypto: Crypto) => Uint8Array

/** Number → gas, gas per word of input, and how it runs. All hardforks have the same prices. */
const simple: ReadonlyMap<number, readonly [number, number, Run]> = new Map([
  [1, [3_000, 0, recoverSigner]],
  [2, [60, 12, (data) => hash('sha256', data, 'buffer')]],
  [3, [600, 120, (data) => padTo32(hash('ripemd160', data, 'buffer'))]],
  [4, [15, 3, (data) => data]],
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
  const [base, wordGas, run] = simple.get(number) ?? [0, 0]
  if (run === undefined) return undefined
  const gasUsed = base + wordGas * Math.ceil(data.length / 32)
  if (gasUsed > gas) return { gasUsed: gas, output: EMPTY_BYTES, failure: 'outOfGas' }
  return { gasUsed, output: run(data, crypto), failure: undefined }
}

/** Returns nothing if nobody can have signed this. A high s is allowed, unlike in transactions. */
function recoverSigner(data: Uint8Array, crypto: Crypto): Uint8Array {
  const input = new Uint8Array(128)
  input.set(data.subarray(0, 128))
  const v = bytesToBigInt(input.subarray(32, 64))
  if (v !== 27n && v !== 28n) return EMPTY_BYTES
  const recoveryId = Number(v - 27n)
  try {
    return padTo32(recoverAddress(crypto, input.subarray(0, 32), input.subarray(64), recoveryId))
  } catch {
    // An invalid signature is no failure here: the caller gets no address.
    return EMPTY_BYTES
  }
}
