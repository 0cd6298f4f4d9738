import { expect, test } from 'vitest'
import type { CallExecution } from '../../../devnet/engine/types.ts'
import { searchGas } from '../../../devnet/execution/estimate.ts'

const execution = (fields: Partial<CallExecution>): CallExecution => ({
  success: true,
  gasUsed: 0n,
  gasBeforeRefund: 0n,
  blockGas: undefined,
  accesses: undefined,
  blobGasUsed: undefined,
  logs: [],
  tracedLogs: [],
  bloomBits: '',
  returnData: new Uint8Array(0),
  failure: undefined,
  createdAddress: undefined,
  printed: undefined,
  innerFrames: undefined,
  ...fields,
})

const outOfGas = execution({ success: false, failure: 'outOfGas' })

/** A call that needs `least` gas, and the gas of each try. */
function callThatNeeds(least: bigint, used: { gasUsed: bigint; gasBeforeRefund: bigint }) {
  const tried: bigint[] = []
  const probe = async (gas: bigint) => {
    tried.push(gas)
    return gas >= least ? execution(used) : outOfGas
  }
  return { tried, probe }
}

test('default: exact and without a search if a call needs what it uses', async () => {
  const { tried, probe } = callThatNeeds(100_000n, { gasUsed: 100_000n, gasBeforeRefund: 100_000n })
  expect(await searchGas(probe, 16_000_000n)).toBe(100_000n)
  expect(tried).toEqual([16_000_000n, 100_000n])
})

test('little search if a call needs a little more than it uses', async () => {
  const { tried, probe } = callThatNeeds(100_500n, { gasUsed: 100_000n, gasBeforeRefund: 100_000n })
  // (100,000 + 2,300) * 64 / 63; between that and 100,000 a search starts, which goes on until 1.5
  // % are left.
  expect(await searchGas(probe, 16_000_000n)).toBe(100_980n)
  expect(tried).toEqual([16_000_000n, 100_000n, 103_923n, 101_961n, 100_980n])
})

test('what is refunded is needed first', async () => {
  const { tried, probe } = callThatNeeds(120_000n, { gasUsed: 100_000n, gasBeforeRefund: 120_000n })
  expect(await searchGas(probe, 16_000_000n)).toBe(120_000n)
  expect(tried).toEqual([16_000_000n, 120_000n])
})

test('the floor of the data (EIP-7623) counts as used', async () => {
  const { tried, probe } = callThatNeeds(40_000n, { gasUsed: 40_000n, gasBeforeRefund: 30_000n })
  expect(await searchGas(probe, 16_000_000n)).toBe(40_000n)
  expect(tried).toEqual([16_000_000n, 40_000n])
})

test('the search begins low where a call needs far more than it uses', async () => {
  const { tried, probe } = callThatNeeds(900_000n, { gasUsed: 30_000n, gasBeforeRefund: 30_000n })
  const gas = await searchGas(probe, 16_000_000n)
  expect(tried.slice(0, 8)).toEqual([
    16_000_000n,
    30_000n,
    32_812n,
    65_624n,
    131_248n,
    262_496n,
    524_992n,
    1_049_984n,
  ])
  expect(gas).toBeGreaterThanOrEqual(900_000n)
  expect(Number(gas - 900_000n) / Number(gas)).toBeLessThan(0.015)
})

test('too little for the bytes of the call counts as too little', async () => {
  const probe = async (gas: bigint) =>
    gas >= 50_000n ? execution({ gasUsed: 21_000n, gasBeforeRefund: 21_000n }) : undefined
  expect(await searchGas(probe, 100_000n)).toBeGreaterThanOrEqual(50_000n)
  await expect(searchGas(probe, 49_999n)).rejects.toMatchObject({
    name: 'RefusedError',
    message: 'gas required exceeds allowance (49999)',
  })
})

test('the ceiling itself', async () => {
  const { tried, probe } = callThatNeeds(21_000n, { gasUsed: 21_000n, gasBeforeRefund: 21_000n })
  expect(await searchGas(probe, 21_000n)).toBe(21_000n)
  expect(tried).toEqual([21_000n])
})
