import { expect, test } from 'vitest'
import { fromHex } from '../../../devnet/primitives/hex.ts'
import { baseFeeRulesOf } from '../../../devnet/protocol/baseFeeRules.ts'
import { nextBaseFee } from '../../../devnet/protocol/fees.ts'
import { forkRules } from '../../../devnet/protocol/forks.ts'

const HOLOCENE = '0x00000000fa00000006'
const JOVIAN = '0x01000000fa0000000600000000000f4240'

function rulesOf(extraData: string) {
  const baseFeeRules = baseFeeRulesOf(fromHex(extraData))
  if (baseFeeRules === undefined) throw new Error(`${extraData} holds no rules`)
  return forkRules('prague', { baseFeeRules })
}

test('extraData of Holocene holds denominator and elasticity, of Jovian a minimum too', () => {
  expect(rulesOf(HOLOCENE).baseFeeRules).toEqual({
    denominator: 250n,
    elasticity: 6n,
    minimum: 0n,
    countsFootprint: false,
  })
  expect(rulesOf(JOVIAN).baseFeeRules).toEqual({
    denominator: 250n,
    elasticity: 6n,
    minimum: 1_000_000n,
    countsFootprint: true,
  })
})

test.each([
  ['nothing', '0x'],
  ['text of a miner', '0x6265617665726275696c642e6f7267'],
  ['nine bytes of another version', '0x01000000fa00000006'],
  ['seventeen bytes of another version', '0x00000000fa0000000600000000000f4240'],
  ['a denominator of zero', '0x000000000000000006'],
  ['an elasticity of zero', '0x00000000fa00000000'],
])('%s in extraData holds no rules', (_, extraData) => {
  expect(baseFeeRulesOf(fromHex(extraData))).toBeUndefined()
})

const PARENT = { gasLimit: 60_000_000n, baseFeePerGas: 1_000_000_000n }

test('the base fee moves around the target of the elasticity, by parts of the denominator', () => {
  const rules = rulesOf(HOLOCENE)
  expect(nextBaseFee({ ...PARENT, gasUsed: 10_000_000n }, rules)).toBe(1_000_000_000n)
  expect(nextBaseFee({ ...PARENT, gasUsed: 0n }, rules)).toBe(996_000_000n)
  expect(nextBaseFee({ ...PARENT, gasUsed: 60_000_000n }, rules)).toBe(1_020_000_000n)
})

test('the base fee does not fall below the minimum', () => {
  const parent = { ...PARENT, baseFeePerGas: 1_000_100n, gasUsed: 0n }
  expect(nextBaseFee(parent, rulesOf(JOVIAN))).toBe(1_000_000n)
  expect(nextBaseFee(parent, rulesOf(HOLOCENE))).toBe(996_100n)
})

test('since Jovian a larger footprint of the calldata counts in the place of the gas', () => {
  const parent = { ...PARENT, gasUsed: 0n, blobGasUsed: 60_000_000n }
  expect(nextBaseFee(parent, rulesOf(JOVIAN))).toBe(1_020_000_000n)
  expect(nextBaseFee(parent, rulesOf(HOLOCENE))).toBe(996_000_000n)
  expect(nextBaseFee({ ...parent, gasUsed: 60_000_000n, blobGasUsed: 0n }, rulesOf(JOVIAN))).toBe(
    1_020_000_000n,
  )
})
