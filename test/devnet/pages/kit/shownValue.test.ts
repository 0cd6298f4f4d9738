import { expect, test } from 'vitest'
import {
  age,
  duration,
  ether,
  exactEther,
  exactGwei,
  gwei,
  percent,
  plural,
} from '../../../../devnet/pages/kit/shownValue.ts'

const ETHER = 10n ** 18n

test.each([
  [0n, '0'],
  [1n, '0.000000000000000001'],
  [ETHER, '1'],
  [ETHER * 10_000n, '10,000'],
  [ETHER * 9_999n + 123_456_789_000_000_000n, '9,999.12'],
  [ETHER * 1_234_567n + ETHER / 2n, '1,234,567'],
  [73_440_000_000_000n, '0.00007344'],
  [123_456_789_123n, '0.000000123456'],
  [-ETHER, '−1'],
])('%s wei are %s ETH, to six digits', (wei, shown) => {
  expect(ether(wei)).toBe(shown)
})

test('all digits of an amount are kept apart from the shown ones', () => {
  expect(exactEther(ETHER * 9_999n + 1n)).toBe('9,999.000000000000000001')
  expect(exactGwei(1_500_000_001n)).toBe('1.500000001')
  expect(gwei(1_500_000_001n)).toBe('1.5 gwei')
  expect(gwei(61_186_515n)).toBe('0.0611 gwei')
  expect(gwei(7n)).toBe('0.000000007 gwei')
})

test.each([
  [90, '90 ms'],
  [200, '200 ms'],
  [2_000, '2 s'],
  [4_250, '4.3 s'],
  [90_000, '1 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 d'],
])('%s ms are %s', (ms, shown) => {
  expect(duration(ms)).toBe(shown)
})

test('an age is in whole seconds, and now at first', () => {
  expect([age(0), age(999), age(1_900), age(61_000)]).toEqual(['now', 'now', '1 s', '1 min'])
})

test('counts have their nouns, shares their percent', () => {
  expect([plural(1, 'transaction'), plural(2_400, 'transaction')]).toEqual([
    '1 transaction',
    '2,400 transactions',
  ])
  expect([percent(0, 5), percent(1, 1_000), percent(1, 3), percent(1, 0)]).toEqual([
    '0\u00a0%',
    '<\u00a01\u00a0%',
    '33\u00a0%',
    '0\u00a0%',
  ])
})
