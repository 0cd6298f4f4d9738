import { concat, encodeErrorResult, type Hex, pad, parseAbi, slice } from 'viem'
import { describe, expect, test } from 'vitest'
import { revertMessage } from '../../../devnet/execution/failureMessage.ts'
import { fromHex } from '../../../devnet/primitives/hex.ts'

const errors = parseAbi(['error Error(string)', 'error Panic(uint256)', 'error Custom(uint256)'])

const message = (data: Hex) => revertMessage(fromHex(data))

describe('Error(string)', () => {
  const encode = (text: string) =>
    encodeErrorResult({ abi: errors, errorName: 'Error', args: [text] })

  test.each([
    ['short', 'nope'],
    ['empty', ''],
    ['longer than a word', 'x'.repeat(100)],
    ['not ASCII', 'žluťoučký kůň ☃'],
  ])('args: %s', (_, text) => {
    expect(message(encode(text))).toBe(`execution reverted: ${text}`)
  })

  test.each<[string, Hex]>([
    ['nothing behind the selector', '0x08c379a0'],
    ['a text cut short', slice(encode('nope'), 0, 4 + 64 + 3)],
    ['an offset beyond the end', concat(['0x08c379a0', pad('0xff')])],
    ['an offset beyond all', concat(['0x08c379a0', `0x${'ff'.repeat(32)}`, pad('0x04')])],
    ['a length beyond the end', concat(['0x08c379a0', pad('0x20'), pad('0x21'), pad('0x')])],
  ])('%s', (_, data) => {
    expect(message(data)).toBe('execution reverted')
  })

  test('without the padding', () => {
    expect(message(slice(encode('nope'), 0, 4 + 64 + 4))).toBe('execution reverted: nope')
  })
})

describe('Panic(uint256)', () => {
  test.each<[bigint, string]>([
    [0x00n, 'generic panic'],
    [0x01n, 'assert(false)'],
    [0x11n, 'arithmetic underflow or overflow'],
    [0x12n, 'division or modulo by zero'],
    [0x21n, 'enum overflow'],
    [0x22n, 'invalid encoded storage byte array accessed'],
    [0x31n, 'out-of-bounds array access; popping on an empty array'],
    [0x32n, 'out-of-bounds access of an array or bytesN'],
    [0x41n, 'out of memory'],
    [0x51n, 'uninitialized function'],
    [0x99n, 'unknown panic code: 0x99'],
    [2n ** 255n, `unknown panic code: 0x8${'0'.repeat(63)}`],
  ])('args: %i', (code, reason) => {
    const data = encodeErrorResult({ abi: errors, errorName: 'Panic', args: [code] })
    expect(message(data)).toBe(`execution reverted: ${reason}`)
  })

  test('cut short', () => {
    expect(message('0x4e487b71')).toBe('execution reverted')
  })
})

test.each<[string, Hex]>([
  ['nothing', '0x'],
  ['less than a selector', '0x08c379'],
  ['an error of its own', encodeErrorResult({ abi: errors, errorName: 'Custom', args: [1n] })],
])('%s', (_, data) => {
  expect(message(data)).toBe('execution reverted')
})
