import { Common, Mainnet } from '@ethereumjs/common'
import { createEVM, type EVM } from '@ethereumjs/evm'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Crypto,
  loadCrypto,
  loadInterruptibleCrypto,
} from '../../../../devnet/engine/crypto.ts'
import { runSimple } from '../../../../devnet/engine/precompiles/simplePrecompiles.ts'
import { fromHex, toHex } from '../../../../devnet/primitives/hex.ts'
import { seeds } from '../../../support/longRuns.ts'
import { Random } from '../../../support/random.ts'

const cryptos: Crypto[] = []
/** The library with curves and hashes of its own, which judges. */
let library: EVM

beforeAll(async () => {
  cryptos.push(await loadCrypto(), await loadInterruptibleCrypto())
  library = await createEVM({ common: new Common({ chain: Mainnet, hardfork: 'prague' }) })
})

/** Output and gas, the same of both curves and of the library; `undefined` if the gas is used up. */
async function run(number: number, hex: string, gas = 1_000_000) {
  const data = fromHex(`0x${hex}`)
  const results = cryptos.map((crypto) => runSimple(number, data, gas, crypto))
  const stock = library.precompiles.get(number.toString(16).padStart(40, '0'))
  const input = { data, gasLimit: BigInt(gas), common: library.common, _EVM: library }
  const judged = await stock?.(input)
  if (judged === undefined) throw new Error(`The library has no precompile ${number}`)
  const [result] = results
  for (const each of results) {
    expect({ ...each, output: toHex(each?.output ?? data) }).toEqual({
      gasUsed: Number(judged.executionGasUsed),
      output: toHex(judged.returnValue),
      failure: judged.exceptionError === undefined ? undefined : 'outOfGas',
    })
  }
  return result?.failure === undefined
    ? [toHex(result?.output ?? data), result?.gasUsed]
    : undefined
}

const word = (value: bigint) => value.toString(16).padStart(64, '0')

/** Of go-ethereum's tests. */
const HASH = '18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c'
const R = '73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f'
const S = 'eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549'
const SIGNER = `0x${'00'.repeat(12)}a94f5374fce5edbc8e2a8697c15331677e6ebf0b`
const VALID = `${HASH}${word(28n)}${R}${S}`

const N = secp256k1.Point.Fn.ORDER
const P = secp256k1.Point.Fp.ORDER
/** With r of the generator and s equal to the hash, the public key is the point at infinity. */
const GENERATOR = secp256k1.Point.BASE.toAffine()

describe('ECRECOVER', () => {
  test.each<[string, string, string]>([
    // Its s is high, which only transactions must not have.
    ['a signature', VALID, SIGNER],
    ['more than 128 bytes', `${VALID}ff`, SIGNER],
    [
      'the same with a low s and the other v',
      `${HASH}${word(27n)}${R}${word(N - BigInt(`0x${S}`))}`,
      SIGNER,
    ],
    ['nothing', '', '0x'],
    ['less than 128 bytes', VALID.slice(0, -2), '0x1'],
    ['v without r and s', VALID.slice(0, 128), '0x'],
    ['v = 0', `${HASH}${word(0n)}${R}${S}`, '0x'],
    ['v = 1', `${HASH}${word(1n)}${R}${S}`, '0x'],
    ['v = 29', `${HASH}${word(29n)}${R}${S}`, '0x'],
    ['v = 28 with a bit in front', `${HASH}${word(28n + (1n << 255n))}${R}${S}`, '0x'],
    ['v = 256 + 28', `${HASH}${word(284n)}${R}${S}`, '0x'],
    ['r = 0', `${HASH}${word(28n)}${word(0n)}${S}`, '0x'],
    ['s = 0', `${HASH}${word(28n)}${R}${word(0n)}`, '0x'],
    ['r = n', `${HASH}${word(28n)}${word(N)}${S}`, '0x'],
    ['s = n', `${HASH}${word(28n)}${R}${word(N)}`, '0x'],
    ['r = p', `${HASH}${word(28n)}${word(P)}${S}`, '0x'],
    ['the largest r and s', `${HASH}${word(28n)}${'ff'.repeat(64)}`, '0x'],
    ['the point at infinity', `${HASH}${word(27n)}${word(GENERATOR.x)}${HASH}`, '0x'],
  ])('%s', async (_name, input, output) => {
    const result = await run(1, input)
    // '0x1': another address than the signer's, as missing bytes count as zeros.
    if (output === '0x1') expect(result?.[0]).not.toBe(SIGNER)
    else expect(result).toEqual([output, 3_000])
  })

  test('default: random words, of which some are valid', async () => {
    for (const seed of seeds(1)) {
      const random = new Random(seed)
      for (let index = 0; index < 200; index++) {
        const any = () => Array.from({ length: 32 }, () => random.below(256))
        const bytes = [any(), any(), any()].map((each) => toHex(Uint8Array.from(each)).slice(2))
        const [hash = '', r = '', s = ''] = bytes
        await run(1, `${hash}${word(27n + BigInt(random.below(2)))}${r}${s}`)
      }
    }
  })
})

test.each<[string, number, string, string]>([
  ['SHA256', 2, '', '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['SHA256', 2, '616263', '0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['RIPEMD160', 3, '', `0x${'00'.repeat(12)}9c1185a5c5e9fc54612808977ee8f548b2258d31`],
  ['RIPEMD160', 3, '616263', `0x${'00'.repeat(12)}8eb208f7e05d987a9b044a8e98c6b087f15a0bfc`],
  ['IDENTITY', 4, '', '0x'],
  ['IDENTITY', 4, '616263', '0x616263'],
])('%s (%i) of %j', async (_name, number, input, output) => {
  expect(await run(number, input)).toMatchObject([output, expect.any(Number)])
})

test.each<[number, number, number]>([
  [1, 3_000, 0],
  [2, 60, 12],
  [3, 600, 120],
  [4, 15, 3],
])('precompile %i costs %i gas, and %i a word', async (number, gas, wordGas) => {
  for (const [length, words] of [
    [0, 0],
    [1, 1],
    [32, 1],
    [33, 2],
    [1_000, 32],
  ] as const) {
    const input = 'ab'.repeat(length)
    const cost = gas + words * wordGas
    expect((await run(number, input, cost))?.[1]).toBe(cost)
    expect(await run(number, input, cost - 1)).toBeUndefined()
  }
})

test('others are left to the library', () => {
  const [crypto] = cryptos
  if (crypto === undefined) throw new Error('There is no crypto')
  for (const number of [5, 9, 0x100]) {
    expect(runSimple(number, new Uint8Array(0), 10_000, crypto)).toBeUndefined()
  }
})
