import { expect, test } from 'vitest'
import { integerFromText, optionFlag } from '../../../devnet/options/optionText.ts'

test('default', () => {
  expect(integerFromText('42')).toBe(42n)
  expect(optionFlag('simulateCallsPerBlock')).toBe('--simulate-calls-per-block')
  expect(optionFlag('port')).toBe('--port')
})

test.each([
  ['0', 0n],
  ['-7', -7n],
  ['0x7A69', 31337n],
  ['1e18', 10n ** 18n],
  ['60_000_000', 60_000_000n],
  ['', undefined],
  [' 1', undefined],
  ['1.5', undefined],
  ['1_', undefined],
  ['0x', undefined],
  ['-0x1', undefined],
  ['1e-3', undefined],
  ['1e999', undefined],
  ['Infinity', undefined],
  ['٣', undefined],
])('args: %o', (text, integer) => {
  expect(integerFromText(text)).toBe(integer)
})
