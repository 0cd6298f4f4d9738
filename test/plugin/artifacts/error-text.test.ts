import { encodeErrorResult, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { readAbi } from '../../../devnet/primitives/abi.ts'
import { errorText } from '../../../plugin/artifacts/error-text.ts'

const WHO = '0x00000000000000000000000000000000000000ab'

test.each([
  ['error Blank()', [], 'Blank()'],
  ['error TooMuch(uint256 wanted, int8 left)', [5n, -1], 'TooMuch(5, -1)'],
  [
    'error Said(string text, bytes data, bool loud)',
    ['a "b"', '0x12', true],
    'Said("a \\"b\\"", 0x12, true)',
  ],
  ['error Of(address who, uint256[] list)', [WHO, [1n, 2n]], `Of(${WHO}, [1, 2])`],
  [
    'error Pair((address who, uint256 amount) pair)',
    [{ who: WHO, amount: 3n }],
    `Pair((${WHO}, 3))`,
  ],
  [
    'error Many(uint256[] list)',
    [Array.from({ length: 22 }, () => 0n)],
    `Many([${'0, '.repeat(20)}… 2 more])`,
  ],
] as const)('default: %s', (declaration, args, text) => {
  const abi = parseAbi([declaration as string])
  const [entry] = readAbi(abi)
  if (entry === undefined) throw new Error('No entry')
  const data = encodeErrorResult({ abi, args: args as readonly unknown[] } as never)
  expect(errorText(entry, data)).toBe(text)
})
