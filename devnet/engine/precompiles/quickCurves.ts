import { type EVMBLSInterface, type EVMBN254Interface, EVMError } from '@ethereumjs/evm'
import { p256 } from '@noble/curves/nist.js'
import { bigIntTo32Bytes, concatBytes, EMPTY_BYTES, readWord } from '../../primitives/bytes.ts'
import { fromHex } from '../../primitives/hex.ts'
import { warn } from '../../primitives/warn.ts'
import { BLS12_381, BN254, Curve, P256 } from './curve.ts'

/** Libraries for curves that have been loaded, for all EVMs of this thread. */
export const quickCurves: {
  bls?: EVMBLSInterface
  bn254?: EVMBN254Interface
  /** Verifies a signature of P-256 (EIP-7951): an input of 160 bytes. */
  p256?: (input: Uint8Array) => Uint8Array
  /** Verifies a value of a blob (EIP-4844): hexadecimal parts of an input. */
  kzg?: (commitment: string, z: string, y: string, proof: string) => boolean
} = {}

export type CurveName = keyof typeof install

const loads = new Map<CurveName, Promise<unknown> | undefined>()

/**
 * Loads a curve, which takes some 0.1 s on threads of V8. The log tells if it does not work here.
 *
 * @returns `undefined` once that is done
 */
export function loadCurve(name: CurveName): Promise<unknown> | undefined {
  if (!loads.has(name)) {
    const failed = (error: unknown) =>
      warn(`WebAssembly does not work here for ${name}, and JavaScript takes its place: ${error}`)
    const done = () => loads.set(name, undefined)
    loads.set(name, install[name]().catch(failed).then(done))
  }
  return loads.get(name)
}

const booleanWord = (is: boolean) => bigIntTo32Bytes(is ? 1n : 0n)

/** [s]G2 of Ethereum's trusted setup. */
const SETUP_POINT =
  '0xb5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2'

const install = {
  async bls() {
    const curve = await Curve.load(BLS12_381)
    quickCurves.bls = {
      addG1: (input) => curve.add('G1', input),
      addG2: (input) => curve.add('G2', input),
      msmG1: (input) => curve.multiply('G1', input),
      msmG2: (input) => curve.multiply('G2', input),
      pairingCheck: (input) => booleanWord(curve.pair(input)),
      mapFPtoG1: (input) => curve.map('G1', input),
      mapFP2toG2: (input) => curve.map('G2', input),
    }
    const setup = curve.decompress('G2', fromHex(SETUP_POINT))
    quickCurves.kzg = (...parts) => verifyKzg(curve, setup, parts)
  },
  async bn254() {
    const curve = await Curve.load(BN254)
    quickCurves.bn254 = {
      add: (input) => curve.add('G1', input),
      mul: (input) => curve.multiply('G1', input.subarray(0, 96)),
      pairing: (input) => booleanWord(curve.pair(input)),
    }
  },
  async p256() {
    const curve = await Curve.load(P256)
    quickCurves.p256 = (input) => (verifyP256(curve, input) ? booleanWord(true) : EMPTY_BYTES)
  },
}

/** Checks e(proof, [s]G2) = e(commitment - [y]G1 + [z]proof, G2): no product is in G2. */
function verifyKzg(
  curve: Curve,
  setup: Uint8Array,
  [commitment, z, y, proof]: Parameters<NonNullable<typeof quickCurves.kzg>>,
): boolean {
  const { order } = BLS12_381
  if (BigInt(z) >= order || BigInt(y) >= order) return false
  const committed = curve.decompress('G1', fromHex(commitment))
  const proven = curve.decompress('G1', fromHex(proof))
  const scalars = [order - 1n, BigInt(y), order - BigInt(z)].map(bigIntTo32Bytes)
  const points = [committed, curve.generator, proven]
  const products = points.flatMap((point, index) => [point, scalars[index] ?? point])
  const negative = curve.multiply('G1', concatBytes(...products))
  return curve.pair(concatBytes(negative, curve.twist, proven, setup))
}

function verifyP256(curve: Curve, input: Uint8Array): boolean {
  const [digest, r, s] = [readWord(input, 0), readWord(input, 32), readWord(input, 64)]
  const key = input.subarray(96)
  const { order } = P256
  const isInRange = r > 0n && r < order && s > 0n && s < order
  if (!isInRange || key.every((byte) => byte === 0)) return false
  const inverse = p256.Point.Fn.inv(s)
  const product = (factor: bigint) => bigIntTo32Bytes((factor * inverse) % order)
  try {
    const sum = curve.multiply('G1', concatBytes(curve.generator, product(digest), key, product(r)))
    return readWord(sum, 0) % order === r
  } catch (error) {
    // The key is no point of the curve.
    if (error instanceof EVMError) return false
    throw error
  }
}
