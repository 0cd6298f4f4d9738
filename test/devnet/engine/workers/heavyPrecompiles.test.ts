import { setImmediate as turn } from 'node:timers/promises'
import { createEVM, type EVM } from '@ethereumjs/evm'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadCrypto } from '../../../../devnet/engine/crypto.ts'
import { createFixedCommon } from '../../../../devnet/engine/library/fixedCommon.ts'
import { Scheduler } from '../../../../devnet/engine/scheduler.ts'
import {
  offloadPrecompiles,
  precompileWeight,
} from '../../../../devnet/engine/workers/heavyPrecompiles.ts'
import { fromHex } from '../../../../devnet/primitives/hex.ts'
import { createExecutionChain } from '../../execution/harness.ts'

let stock: EVM
let offloaded: EVM

beforeAll(async () => {
  const rules = { chainId: 31337, hardfork: 'bpo2' }
  const common = createFixedCommon({ ...rules, crypto: await loadCrypto() })
  stock = await createEVM({ common })
  offloaded = await createEVM({ common })
  offloadPrecompiles(offloaded.precompiles, rules, new Scheduler())
})

const address = (number: number) => number.toString(16).padStart(40, '0')

/** What a precompile answers. */
async function run(evm: EVM, number: number, data: string, gasLimit = 50_000_000n) {
  const precompile = evm.precompiles.get(address(number))
  if (precompile === undefined) throw new Error(`No precompile ${number}`)
  const input = { data: fromHex(`0x${data}`), gasLimit, common: evm.common, _EVM: evm }
  const { returnValue, executionGasUsed, exceptionError } = await precompile(input)
  return { returnValue, executionGasUsed, error: exceptionError?.error }
}

const hex = (value: bigint, bytes: number) => value.toString(16).padStart(2 * bytes, '0')

const G1 = bn254.G1.Point.BASE.toAffine()
const G2 = bn254.G2.Point.BASE.toAffine()
const bn254Pair = [G1.x, G1.y, G2.x.c1, G2.x.c0, G2.y.c1, G2.y.c0].map((n) => hex(n, 32)).join('')

const BLS1 = bls12_381.G1.Point.BASE.toAffine()
const BLS2 = bls12_381.G2.Point.BASE.toAffine()
const bls1 = [BLS1.x, BLS1.y].map((n) => hex(n, 64)).join('')
const bls2 = [BLS2.x.c0, BLS2.x.c1, BLS2.y.c0, BLS2.y.c1].map((n) => hex(n, 64)).join('')
const scalar = 'f1'.repeat(32)

/** Each just as long as it has to be to be sent to the other thread. */
const heavy: [string, number, string][] = [
  ['BN254 pairing', 0x08, bn254Pair.repeat(25)],
  ['BLAKE2F', 0x09, `${hex(1_550_000n, 4)}${'5a'.repeat(208)}01`],
  ['BLS12 G1 MSM', 0x0c, `${bls1}${scalar}`.repeat(101)],
  ['BLS12 G2 MSM', 0x0e, `${bls2}${scalar}`.repeat(61)],
  ['BLS12 pairing', 0x0f, `${bls1}${bls2}`.repeat(26)],
]

describe('on the other thread', () => {
  test.each(heavy)('%s answers as on this one', async (_, number, data) => {
    expect(precompileWeight(address(number), fromHex(`0x${data}`))).toBeGreaterThan(60)
    expect(await run(offloaded, number, data)).toEqual(await run(stock, number, data))
    // Too little gas, and a length that is none.
    expect(await run(offloaded, number, data, 150_000n)).toEqual(
      await run(stock, number, data, 150_000n),
    )
    const longer = `${data}00`
    expect(await run(offloaded, number, longer)).toEqual(await run(stock, number, longer))
  })

  test('MODEXP of a long exponent, before EIP-7823', async () => {
    const rules = { chainId: 31337, hardfork: 'prague' }
    const common = createFixedCommon({ ...rules, crypto: await loadCrypto() })
    const [one, other] = [await createEVM({ common }), await createEVM({ common })]
    offloadPrecompiles(other.precompiles, rules, new Scheduler())
    const data = [
      hex(32n, 32),
      hex(8000n, 32),
      hex(32n, 32),
      scalar,
      'f3'.repeat(8000),
      'ef'.repeat(32),
    ].join('')
    expect(precompileWeight(address(5), fromHex(`0x${data}`))).toBeGreaterThan(60)
    expect(await run(other, 5, data)).toEqual(await run(one, 5, data))
  })

  test('this thread goes on meanwhile', async () => {
    const data = `${hex(6_000_000n, 4)}${'00'.repeat(208)}01`
    let done = false
    let turns = 0
    const result = run(offloaded, 0x09, data).finally(() => {
      done = true
    })
    while (!done) {
      await turn()
      turns++
    }
    expect((await result).error).toBeUndefined()
    // On this thread there would be one.
    expect(turns).toBeGreaterThan(100)
  })
})

test('a tick has one as a call has it', async () => {
  const node = await createExecutionChain()
  const data = `0x${hex(1_550_000n, 4)}${'5a'.repeat(208)}01` as const
  const to = '0x0000000000000000000000000000000000000009'
  const call = { from: node.from, to, data, gas: 3_000_000n } as const
  const [simulated] = await node.simulate({ blockStateCalls: [{ calls: [call] }] })
  await node.send(call)
  await node.tick()
  const [executed] = node.chain.pending.executed
  expect(executed?.success).toBe(true)
  expect(BigInt(simulated?.calls[0]?.gasUsed ?? '0x0')).toBe(executed?.gasUsed)
  expect(executed?.gasUsed).toBeGreaterThan(1_550_000n)
})

test('what is short stays here', () => {
  const pair = fromHex(`0x${bn254Pair}`)
  // A zero-knowledge proof has four.
  expect(precompileWeight(address(8), new Uint8Array(4 * pair.length))).toBeLessThan(60)
  for (const number of [5, 8, 9, 0x0c, 0x0e, 0x0f]) {
    expect(precompileWeight(address(number), new Uint8Array(0))).toBe(0)
    expect(precompileWeight(address(number), new Uint8Array(384))).toBeLessThan(60)
  }
  // RSA of 2,048 bits.
  const rsa = [hex(256n, 32), hex(256n, 32), hex(256n, 32), 'ff'.repeat(768)].join('')
  expect(precompileWeight(address(5), fromHex(`0x${rsa}`))).toBeLessThan(60)
  // The library knows no other precompile.
  expect(precompileWeight(address(0x99), new Uint8Array(1_000_000))).toBe(0)
})
