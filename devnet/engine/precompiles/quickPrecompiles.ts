import { EVMError, type PrecompileFunc } from '@ethereumjs/evm'
import { afterwards } from '../../primitives/afterwards.ts'
import { bytesToBigInt } from '../../primitives/bytes.ts'
import { coreBlake2F } from '../core/hashing.ts'
import { type CurveName, loadCurve, quickCurves } from './quickCurves.ts'

type Input = Parameters<PrecompileFunc>[0]
type Result = ReturnType<PrecompileFunc>

/** Computes an input; `undefined` leaves it to the library, as all inputs that fail. */
type Quick = (input: Input, stock: PrecompileFunc) => Result | undefined

/**
 * Puts quicker implementations in the place of an EVM's precompiles: those of the core and of
 * curves in WebAssembly, which the first call of one loads.
 *
 * @param untimed - waits for a load, which counts for no limit of the execution
 */
export function quickenPrecompiles(
  precompiles: Map<string, PrecompileFunc>,
  untimed: (load: Promise<unknown>) => Promise<unknown> = (load) => load,
): void {
  for (const [number, [quick, curve]] of quicks) {
    const address = number.toString(16).padStart(40, '0')
    const stock = precompiles.get(address)
    if (stock === undefined) continue
    precompiles.set(address, (input) => {
      const load = curve && loadCurve(curve)
      return afterwards(load && untimed(load), () => quick(input, stock) ?? stock(input))
    })
  }
}

const bls: Quick = (input, stock) => {
  const { bls } = quickCurves
  return bls && stock(onEvm(input, { _bls: bls }))
}
const bn254: Quick = (input, stock) => {
  const { bn254 } = quickCurves
  return bn254 && stock(onEvm(input, { _bn254: bn254 }))
}

/** The library overwrites its own option for BN254; its precompiles read nothing else of an EVM. */
function onEvm(input: Input, evm: object): Input {
  return { ...input, _EVM: evm as Input['_EVM'] }
}

const quicks: ReadonlyMap<number, readonly [Quick, CurveName?]> = new Map([
  [0x06, [bn254, 'bn254']],
  [0x07, [bn254, 'bn254']],
  [0x08, [bn254, 'bn254']],
  [0x09, [blake2F]],
  // Point evaluation, which uses `quickCurves.kzg`.
  [0x0a, [bls, 'bls']],
  [0x0b, [direct(375n, 256, ({ bls }, data) => bls?.addG1(data)), 'bls']],
  [0x0c, [bls, 'bls']],
  [0x0d, [direct(600n, 512, ({ bls }, data) => bls?.addG2(data)), 'bls']],
  [0x0e, [bls, 'bls']],
  [0x0f, [bls, 'bls']],
  [0x10, [direct(5_500n, 64, ({ bls }, data) => bls?.mapFPtoG1(data)), 'bls']],
  [0x11, [direct(23_800n, 128, ({ bls }, data) => bls?.mapFP2toG2(data)), 'bls']],
  [0x100, [direct(6_900n, 160, ({ p256 }, data) => p256?.(data)), 'p256']],
])

/** A precompile of one price and one length of inputs: without the promises of the library's. */
function direct(
  gas: bigint,
  length: number,
  work: (curves: typeof quickCurves, data: Uint8Array) => Uint8Array | undefined,
): Quick {
  return ({ data, gasLimit }) => {
    if (data.length !== length || gasLimit < gas) return undefined
    try {
      const returnValue = work(quickCurves, data)
      return returnValue && { executionGasUsed: gas, returnValue }
    } catch (error) {
      // The library says what is wrong.
      if (error instanceof EVMError) return undefined
      throw error
    }
  }
}

const BLAKE_LENGTH = 213
let compress: ReturnType<typeof coreBlake2F> | undefined

function blake2F({ data, gasLimit }: Input): Result | undefined {
  if (data.length !== BLAKE_LENGTH || (data[BLAKE_LENGTH - 1] ?? 0) > 1) return undefined
  const executionGasUsed = bytesToBigInt(data.subarray(0, 4))
  if (executionGasUsed > gasLimit) return undefined
  try {
    compress ??= coreBlake2F()
  } catch {
    // The core needs SIMD, which the library does without.
    return undefined
  }
  return { executionGasUsed, returnValue: compress(data) }
}
