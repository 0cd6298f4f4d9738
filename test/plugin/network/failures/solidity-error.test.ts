import { expect, test } from 'vitest'
import { SolidityError } from '../../../../plugin/network/failures/solidity-error.ts'

const message = "VM Exception while processing transaction: reverted with reason string 'deep'"
const row = (name: string, line: number) => `${name} (contracts/Deep.sol:${line})`
const frame = (name: string, line: number) => `    at ${name} (contracts/Deep.sol:${line}:9)`

function errorOf(names: readonly (readonly [string, number])[]) {
  const stack = [
    `SolidityError: ${message}`,
    ...names.map((one) => frame(...one)),
    '    at Test.run (test/deep.ts:1:1)',
  ].join('\n')
  const solidityStack = names.map((one) => row(...one)).join('\n')
  const failure = { message: 'execution reverted: deep', data: '0x' } as const
  return new SolidityError(failure, { message, data: '0x', stack, solidityStack })
}

test('the frames of a recursion are one row with their number', () => {
  const down = Array.from({ length: 40 }, () => ['Deep.down', 7] as const)
  const { stack, solidityStack } = errorOf([['Deep.last', 9], ...down, ['Deep.start', 3]])
  expect(solidityStack.split('\n')).toEqual([
    row('Deep.last', 9),
    'Deep.down × 40 (contracts/Deep.sol:7)',
    row('Deep.start', 3),
  ])
  expect(stack?.split('\n').slice(0, 4)).toEqual([
    'SolidityError: execution reverted: deep',
    frame('Deep.last', 9),
    '    at Deep.down × 40 (contracts/Deep.sol:7:9)',
    frame('Deep.start', 3),
  ])
})

test('frames that differ stay as they are', () => {
  const names: readonly (readonly [string, number])[] = [
    ['A.f', 1],
    ['A.f', 1],
    ['A.g', 2],
  ]
  expect(errorOf(names).solidityStack).toBe(names.map((one) => row(...one)).join('\n'))
})
