import { describe, expect, test } from 'vitest'
import { encodeArguments } from '../../../devnet/primitives/abiEncode.ts'
import { integerOf, valueProblem } from '../../../devnet/primitives/abiText.ts'

describe('integerOf', () => {
  test.each([
    ['0', 0n],
    [' 12 ', 12n],
    ['-5', -5n],
    ['0x1F', 31n],
    ['1_000', 1_000n],
    ['1,234,567', 1_234_567n],
    ['1e18', 10n ** 18n],
    ['1.5e18', 15n * 10n ** 17n],
    ['2.50e1', 25n],
    ['1.5 ether', 15n * 10n ** 17n],
    ['0.000000000000000001 ETH', 1n],
    ['20gwei', 20n * 10n ** 9n],
    ['1,000 ether', 1_000n * 10n ** 18n],
    ['7 wei', 7n],
    ['2e3 gwei', 2_000n * 10n ** 9n],
  ])('%s', (text, value) => {
    expect(integerOf(text)).toBe(value)
  })

  test.each([
    '',
    ' ',
    '1.5',
    '1,5',
    '1,0000',
    '1__0',
    '_1',
    '1e',
    '1e-3',
    '1e999',
    '0.5 gwei wei',
    '0.5 wei',
    '1.0000000000000000001 ether',
    '0x',
    '0xg',
    '١',
    'NaN',
    'constructor',
    '9'.repeat(121),
    `0x${'f'.repeat(65)}`,
  ])('%j is none', (text) => {
    expect(integerOf(text)).toBeUndefined()
  })
})

test.each([
  ['uint8', '255', undefined],
  ['uint8', '256', '256 does not fit into uint8'],
  ['uint256', '-1', '-1 does not fit into uint256'],
  ['int8', '-128', undefined],
  ['uint256', '1.5', 'uint256 wants a whole number, such as 12, 1e18, 0.5 ether or 20 gwei'],
  ['address', '0x12', 'address wants 0x and 40 digits'],
  ['bytes4', '0x1234', 'bytes4 wants 4 bytes, not 2'],
  ['bytes', '0x123', 'bytes wants 0x and an even number of digits'],
  ['bool', 'yes', 'bool wants true or false'],
  ['string', '', undefined],
  // An ABI may say anything.
  ['uint999999999999', '1', 'no type uint999999999999'],
  ['bytes64', '0x', 'no type bytes64'],
  ['uint', '1', 'no type uint'],
  ['constructor', 'x', 'no type constructor'],
])('%s of %j: %s', (type, text, problem) => {
  expect(valueProblem(type, text)).toBe(problem)
})

test('no list of a length that only its type says is made', () => {
  const huge = { type: 'uint256[4294967296]', name: '', components: [] }
  expect(() => encodeArguments([huge], [['1']])).toThrow('takes 4294967296 values, not 1')
})
