import { EVMError, type PrecompileFunc } from '@ethereumjs/evm'
import { afterwards } from '../../primitives/afterwards.ts'
import { bytesToBigInt } from '../../primitives/bytes.ts'
import { coreBlake2F } from '../core/hashing.ts'
import { type CurveName, loadCurve, quickCurves } from './quickCurves.ts'

type Input = Parameters<PrecompileFunc>[0]
type Result = ReturnType<PrecompileFunc>

/** Computes an input; `undefined` leaves it to the library, as all inputs that fail. */
type Quick = (input: Input, stock: PrecompileFunc, untimed: Untimed) => Result | undefined

/** Waits for a load, which counts for no limit of the execution. */
type Untimed = <Value>(load: Promise<Value>) => Promise<Value>

/**
 * Puts quicker implementations in the place of an EVM's precompiles: those of the core and of
 * curves in WebAssembly, which the first call of one loads.
 */
export function quickenPrecompiles(
  precompiles: Map<string, PrecompileFunc>,
  untimed: Untimed = (load) => load,
): void {
  for (const [number, quick] of quicks) {
    const address = number.toString(16).padStart(40, '0')
    const stock = precompiles.get(address)
    if (stock === undefined) continue
    precompiles.set(address, (input) => quick(input, stock, untimed) ?? stock(input))
  }
}

/** Runs `quick` once a curve is loaded. */
const onCurve =
  (name: CurveName, quick: Quick): Quick =>
  (input, stock, untimed) => {
    const load = loadCurve(name)
    const run = () => quick(input, stock, untimed) ?? stock(input)
    return afterwards(load && untimed(load), run)
  }

const bls = onCurve('bls', (input, stock) => {
  const { bls } = quickCurves
  return bls && stock(onEvm(input, { _bls: bls }))
})
const bn254 = onCurve('bn254', (input, stock) => {
  const { bn254 } = quickCurves
  return bn254 && stock(onEvm(input, { _bn254: bn254 }))
})

/** The library overwrites its own option for BN254; its precompiles read nothing else of an EVM. */
function onEvm(input: Input, evm: object): Input {
  return { ...input, _EVM: evm as Input['_EVM'] }
}

const quicks: ReadonlyMap<number, Quick> = new Map<number, Quick>([
  [0x06, bn254],
  [0x07, bn254],
  [0x08, bn254],
  [0x09, blake2F],
  // Asks for `quickCurves.kzg`.
  [0x0a, bls],
  [0x0b, direct('bls', 375n, 256, ({ bls }, data) => bls?.addG1(data))],
  [0x0c, bls],
  [0x0d, direct('bls', 600n, 512, ({ bls }, data) => bls?.addG2(data))],
  [0x0e, bls],
  [0x0f, bls],
  [0x10, direct('bls', 5_500n, 64, ({ bls }, data) => bls?.mapFPtoG1(data))],
  [0x11, direct('bls', 23_800n, 128, ({ bls }, data) => bls?.mapFP2toG2(data))],
  [0x100, direct('p256', 6_900n, 160, ({ p256 }, data) => p256?.(data))],
])

/** A precompile of one price and one length of inputs: without the promises of the library's. */
function direct(
  name: CurveName,
  gas: bigint,
  length: number,
  work: (curves: typeof quickCurves, data: Uint8Array) => Uint8Array | undefined,
): Quick {
  return onCurve(name, ({ data, gasLimit }) => {
    if (data.length !== length || gasLimit < gas) return undefined
    try {
      const returnValue = work(quickCurves, data)
      return returnValue && { executionGasUsed: gas, returnValue }
    } catch (error) {
      // The library says what is wrong.
      if (error instanceof EVMError) return undefined
      throw error
    }
  })
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
