import { EVMError } from '@ethereumjs/evm'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import type { Mcl } from 'mcl-wasm/dist/mcl_c.js'
import { bigIntTo32Bytes, concatBytes } from '../../primitives/bytes.ts'
import { fromHex } from '../../primitives/hex.ts'

interface CurveForm {
  /** Number of the curve in mcl. */
  readonly id: number
  /** Bytes of a coordinate, and how many with the zeros before it. */
  readonly bytes: number
  readonly width: number
  /** Groups that are only a part of their curve, so that membership has to be checked. */
  readonly subgroups: readonly Group[]
  /** Coordinates of the generator of G1; with pairings, then that of G2. */
  readonly generators: readonly bigint[]
  readonly order: bigint
  /** Errors of an input with a coordinate outside the field, and with a point off the curve. */
  readonly wrongNumber: EVMError['error']
  readonly wrongPoint: EVMError['error']
}

export type Group = 'G1' | 'G2'

const { errorMessages } = EVMError
const short = {
  bytes: 32,
  width: 32,
  wrongNumber: errorMessages.REVERT,
  wrongPoint: errorMessages.REVERT,
}

const bn = [bn254.G1.Point.BASE.toAffine(), bn254.G2.Point.BASE.toAffine()] as const
export const BN254: CurveForm = {
  ...short,
  id: 4,
  subgroups: ['G2'],
  generators: [bn[0].x, bn[0].y, bn[1].x.c1, bn[1].x.c0, bn[1].y.c1, bn[1].y.c0],
  order: bn254.fields.Fr.ORDER,
}

export const P256: CurveForm = {
  ...short,
  id: 107,
  subgroups: [],
  generators: [p256.Point.BASE.x, p256.Point.BASE.y],
  order: p256.Point.Fn.ORDER,
}

const bls = [bls12_381.G1.Point.BASE.toAffine(), bls12_381.G2.Point.BASE.toAffine()] as const
export const BLS12_381: CurveForm = {
  id: 5,
  bytes: 48,
  width: 64,
  subgroups: ['G1', 'G2'],
  generators: [bls[0].x, bls[0].y, bls[1].x.c0, bls[1].x.c1, bls[1].y.c0, bls[1].y.c1],
  order: bls12_381.fields.Fr.ORDER,
  wrongNumber: errorMessages.BLS_12_381_FP_NOT_IN_FIELD,
  wrongPoint: errorMessages.BLS_12_381_POINT_NOT_ON_CURVE,
}

/** mcl checks that both sides were compiled for numbers of this size. */
const COMPILED_SIZE = 46

/** `MCL_MAP_TO_MODE_HASH_TO_CURVE`: as in RFC 9380. */
const HASH_TO_CURVE = 5

/** Bytes in mcl's memory, the same for all curves. A point has three coordinates. */
const FP = 48
const FR = 32
const GT = 12 * FP
const SIZE = { G1: 3 * FP, G2: 6 * FP }

const SCALAR = 32
/** The flag of infinity in the first byte of a compressed point. */
const INFINITY = 0x40
/** Values passed to mcl, and from it, lie in front of the operands. */
const SCRATCH_SIZE = 96

/** Points that were found in their subgroup, of which verifying keys and generators come again. */
const MAX_KNOWN = 1_000

/**
 * A curve on the inputs of its precompiles, by an instance of mcl in WebAssembly. Methods throw an
 * {@link EVMError} on a wrong input.
 */
export class Curve {
  readonly #form: CurveForm
  readonly #mcl: Mcl
  readonly #known = new Set<string>()
  /** The scratch and the operands of one operation. */
  #room = 0
  #roomSize = 0

  /** The generators of G1 and G2, as in inputs. */
  readonly generator: Uint8Array
  readonly twist: Uint8Array

  /** @throws {Error} if it does not work here */
  static async load(form: CurveForm): Promise<Curve> {
    const { default: createModule } = await import('mcl-wasm/dist/mcl_c.js')
    const cryptoGetRandomValues = (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes)
    const curve = new Curve(form, await createModule({ cryptoGetRandomValues }))
    const { generator, twist } = curve
    const negative = curve.multiply('G1', concatBytes(generator, bigIntTo32Bytes(form.order - 1n)))
    const sum = curve.add('G1', concatBytes(generator, negative))
    const canPair = twist.length > 0
    const isWrong =
      sum.some((byte) => byte !== 0) ||
      (canPair && curve.pair(concatBytes(generator, twist))) ||
      (canPair && !curve.pair(concatBytes(generator, twist, negative, twist)))
    if (isWrong) throw new Error('its self-test gave a wrong result')
    return curve
  }

  private constructor(form: CurveForm, mcl: Mcl) {
    this.#form = form
    this.#mcl = mcl
    const digits = form.generators.map((number) =>
      number.toString(16).padStart(2 * form.width, '0'),
    )
    this.generator = fromHex(`0x${digits.slice(0, 2).join('')}`)
    this.twist = fromHex(`0x${digits.slice(2).join('')}`)
    if (this.#call('_init', form.id, COMPILED_SIZE) !== 0) throw new Error('mcl cannot start')
    this.#call('_setMapToMode', HASH_TO_CURVE)
    // Additions take points of the whole curve.
    for (const group of ['G1', 'G2']) this.#call(`_verifyOrder${group}`, 0)
  }

  /** The sum of two points, which need not be in the subgroup. */
  add(group: Group, input: Uint8Array): Uint8Array {
    const at = this.#reserve(2 * SIZE[group])
    this.#readPoint(group, input, at, false)
    this.#readPoint(group, input.subarray(this.#widthOf(group)), at + SIZE[group], false)
    this.#call(`${group}_add`, at, at, at + SIZE[group])
    return this.#writePoint(group, at)
  }

  /** The sum of products: a point and a scalar each. */
  multiply(group: Group, input: Uint8Array): Uint8Array {
    const width = this.#widthOf(group) + SCALAR
    const count = input.length / width
    const points = this.#reserve(count * (SIZE[group] + FR))
    const scalars = points + count * SIZE[group]
    for (let index = 0; index < count; index++) {
      const pair = input.subarray(index * width, (index + 1) * width)
      this.#readPoint(group, pair, points + index * SIZE[group], true)
      this.#scratch(SCALAR).set(pair.subarray(-SCALAR))
      this.#call('Fr_setBigEndianMod', scalars + index * FR, this.#room, SCALAR)
    }
    if (count === 1) this.#call(`${group}_mul`, points, points, scalars)
    else this.#call(`${group}_mulVec`, points, points, scalars, count)
    return this.#writePoint(group, points)
  }

  /** True if the product of pairings is one: a point of G1 and one of G2 each. */
  pair(input: Uint8Array): boolean {
    const [width1, width2] = [this.#widthOf('G1'), this.#widthOf('G2')]
    const most = input.length / (width1 + width2)
    const points = this.#reserve(most * (SIZE.G1 + SIZE.G2) + GT)
    const twists = points + most * SIZE.G1
    let count = 0
    for (let index = 0; index < most; index++) {
      const pair = input.subarray(index * (width1 + width2))
      const [point, twist] = [points + count * SIZE.G1, twists + count * SIZE.G2]
      this.#readPoint('G1', pair, point, true)
      this.#readPoint('G2', pair.subarray(width1), twist, true)
      // A pairing with infinity is one.
      if (!this.#call('G1_isZero', point) && !this.#call('G2_isZero', twist)) count++
    }
    if (count === 0) return true
    const product = twists + most * SIZE.G2
    this.#call('_millerLoopVec', product, points, twists, count)
    this.#call('_finalExp', product, product)
    return this.#call('GT_isOne', product) === 1
  }

  /** The point of the subgroup to which an element of the field is mapped (EIP-2537). */
  map(group: Group, input: Uint8Array): Uint8Array {
    const element = this.#reserve(SIZE.G2)
    this.#readNumber(input, element)
    if (group === 'G2') this.#readNumber(input.subarray(this.#form.width), element + FP)
    this.#call(group === 'G1' ? 'Fp_mapToG1' : 'Fp2_mapToG2', element, element)
    return this.#writePoint(group, element)
  }

  /** A point that is compressed, as BLS12-381's are in KZG: 48 or 96 bytes. */
  decompress(group: Group, input: Uint8Array): Uint8Array {
    const [head = 0, ...tail] = input
    // mcl does not look at all bytes of infinity.
    if ((head & INFINITY) !== 0 && tail.some((byte) => byte !== 0)) {
      throw new EVMError(this.#form.wrongPoint)
    }
    const at = this.#reserve(SIZE[group])
    this.#scratch(input.length).set(input)
    this.#call('_setETHserialization', 1)
    const length = this.#call(`${group}_deserialize`, at, this.#room, input.length)
    this.#call('_setETHserialization', 0)
    if (length !== input.length) throw new EVMError(this.#form.wrongPoint)
    return this.#writePoint(group, at)
  }

  #readPoint(group: Group, input: Uint8Array, to: number, inSubgroup: boolean): void {
    const { id, width, subgroups } = this.#form
    const point = input.subarray(0, this.#widthOf(group))
    this.#call(`${group}_clear`, to)
    if (point.every((byte) => byte === 0)) return
    const parts = point.length / width
    for (let part = 0; part < parts; part++) {
      // EIP-197 writes the imaginary part of a coordinate first.
      const place = id === BN254.id && group === 'G2' ? part ^ 1 : part
      this.#readNumber(point.subarray(part * width), to + place * FP)
    }
    this.#call('Fp_setInt32', to + parts * FP, 1)
    if (!this.#call(`${group}_isValid`, to)) throw new EVMError(this.#form.wrongPoint)
    if (!inSubgroup || !subgroups.includes(group)) return
    const key = Buffer.from(point).toString('latin1')
    if (this.#known.has(key)) return
    if (!this.#call(`${group}_isValidOrder`, to)) throw new EVMError(this.#form.wrongPoint)
    if (this.#known.size === MAX_KNOWN) this.#known.clear()
    this.#known.add(key)
  }

  /** The bytes of a point; of G2 only for curves whose real part comes first. */
  #writePoint(group: Group, from: number): Uint8Array {
    const { bytes, width } = this.#form
    const output = new Uint8Array(this.#widthOf(group))
    if (this.#call(`${group}_isZero`, from)) return output
    this.#call(`${group}_normalize`, from, from)
    for (let part = 0; part < output.length / width; part++) {
      this.#call('Fp_serialize', this.#room, bytes, from + part * FP)
      output.set(this.#scratch(bytes).reverse(), (part + 1) * width - bytes)
    }
    return output
  }

  #readNumber(input: Uint8Array, to: number): void {
    const { bytes, width } = this.#form
    this.#scratch(bytes).set(input.subarray(width - bytes, width).toReversed())
    const length = this.#call('Fp_deserialize', to, this.#room, bytes)
    const isPadded = input.subarray(0, width - bytes).every((byte) => byte === 0)
    if (length !== bytes || !isPadded) throw new EVMError(this.#form.wrongNumber)
  }

  #widthOf(group: Group): number {
    return (group === 'G1' ? 2 : 4) * this.#form.width
  }

  /** Memory for the operands of one operation: the next one takes the same. */
  #reserve(size: number): number {
    if (size > this.#roomSize) {
      if (this.#room !== 0) this.#mcl._free?.(this.#room)
      this.#room = this.#mcl._malloc?.(SCRATCH_SIZE + size) ?? 0
      this.#roomSize = 0
      if (this.#room === 0) throw new Error('mcl cannot allocate memory')
      this.#roomSize = size
    }
    return this.#room + SCRATCH_SIZE
  }

  /** The memory in which bytes are passed, which is another buffer after it has grown. */
  #scratch(length: number): Uint8Array {
    return new Uint8Array(this.#mcl.wasmMemory.buffer, this.#room, length)
  }

  #call(name: string, ...numbers: number[]): number {
    const mclFunction = this.#mcl[`_mclBn${name}`]
    if (mclFunction === undefined) throw new Error(`mcl does not export ${name}`)
    return mclFunction(...numbers)
  }
}
