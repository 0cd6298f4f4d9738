import { encodeErrorResult, type Hex, keccak256, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { fromHex } from '../../../../devnet/primitives/hex.ts'
import { createNaming } from '../../../../devnet/rpc/naming/contractNames.ts'
import { EntryLookup } from '../../../../devnet/rpc/naming/entryLookup.ts'

const WHO = '0x00000000000000000000000000000000000000ab'

/** The text of an error of a contract that the call did not go to. */
async function textOf(declarations: readonly string[], data: Hex): Promise<string | undefined> {
  const contract = { name: 'Other', abi: parseAbi(declarations), initCodeLength: 0 }
  const source = createNaming({
    contracts: {
      deployedAs: async () => [],
      createdBy: async () => [],
      all: async () => [contract],
    },
    keccak256: (message) => fromHex(keccak256(message)),
    onInternalError(error) {
      throw error
    },
  })
  return (await new EntryLookup(source).error(data, []))?.text
}

function encoded(declaration: string, args: readonly unknown[]): Hex {
  return encodeErrorResult({ abi: parseAbi([declaration]), args } as never)
}

describe('errors in words', () => {
  test.each([
    ['error Blank()', [], 'Blank()'],
    ['error TooMuch(uint256 wanted, int8 left)', [5n, -1], 'TooMuch(wanted: 5, left: -1)'],
    [
      'error Said(string text, bytes data, bool loud)',
      ['a "b"', '0x12', true],
      'Said(text: "a \\"b\\"", data: 0x12, loud: true)',
    ],
    ['error Of(address, uint256[])', [WHO, [1n, 2n]], `Of(${WHO}, [1, 2])`],
    [
      'error Pair((address who, uint256 amount) pair)',
      [{ who: WHO, amount: 3n }],
      `Pair(pair: (who: ${WHO}, amount: 3))`,
    ],
    [
      'error Many(uint256[] list)',
      [Array.from({ length: 52 }, () => 0n)],
      `Many(list: [${'0, '.repeat(49)}0, … 2 more])`,
    ],
  ] as const)('default: %s', async (declaration, args, text) => {
    expect(await textOf([declaration], encoded(declaration, args))).toBe(text)
  })

  test('the innermost reason of one that holds another, or a message', async () => {
    const inner = 'error TooMuch(uint256 wanted)'
    const outer = 'error Failed(bytes reason)'
    const held = encoded(outer, [encoded(inner, [5n])])
    expect(await textOf([inner, outer], encoded(outer, [held]))).toBe(
      'Failed(reason: Failed(reason: TooMuch(wanted: 5)))',
    )
    const message = encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: ['no'] })
    expect(await textOf([outer], encoded(outer, [message]))).toBe('Failed(reason: Error("no"))')
  })

  test("Solidity's own, which messages say, data that nobody knows", async () => {
    expect(await textOf([], encoded('error Error(string text)', ['no']))).toBeUndefined()
    expect(await textOf(['error Blank()'], '0x1234')).toBe(
      'unrecognized custom error (return data: 0x1234)',
    )
    expect(await textOf(['error Blank()'], '0x')).toBeUndefined()
  })
})
