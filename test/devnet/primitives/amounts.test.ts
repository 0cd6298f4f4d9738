import { expect, test } from 'vitest'
import {
  compare,
  count,
  etherText,
  exactAmount,
  exactEther,
  exactGwei,
  gwei,
  isUnlimited,
  listedEther,
  tokenAmount,
} from '../../../devnet/primitives/amounts.ts'

const ETHER = 10n ** 18n

test.each([
  [0n, '0 ETH'],
  [1n, '1 wei'],
  [-3n, '−3 wei'],
  [9_999n, '9,999 wei'],
  [10_000n, '0.00000000000001 ETH'],
  [ETHER, '1 ETH'],
  [ETHER * 10_000n, '10,000 ETH'],
  [ETHER * 9_999n + 998_767_258_000_000_000n, '9,999.9987 ETH'],
  [ETHER * 1_234_567n + ETHER / 2n, '1,234,567.5 ETH'],
  [ETHER * 12n + 123_456_789_000_000_000n, '12.1234 ETH'],
  [73_440_000_000_000n, '0.00007344 ETH'],
  [132_742_123_123n, '0.000000132742 ETH'],
  [-ETHER, '−1 ETH'],
])('%s wei are %s', (wei, shown) => {
  expect(etherText(wei)).toBe(shown)
})

test('a list shows no digits of what is very little, and single wei', () => {
  const listed = [0n, 1n, 132_742_123_123n, 10n ** 12n, 12_345_678_900_000n, 3n * ETHER]
  expect(listed.map((wei) => listedEther(wei))).toEqual([
    '0 ETH',
    '1 wei',
    '<0.000001 ETH',
    '0.000001 ETH',
    '0.000012 ETH',
    '3 ETH',
  ])
})

test('all digits of an amount are kept apart from the shown ones', () => {
  expect(exactEther(ETHER * 9_999n + 1n)).toBe('9,999.000000000000000001')
  expect(exactGwei(1_500_000_001n)).toBe('1.500000001')
  expect(gwei(1_500_000_001n)).toBe('1.5 gwei')
  expect(gwei(61_186_515n)).toBe('0.0611 gwei')
  expect(gwei(7n)).toBe('0.000000007 gwei')
})

test('an amount of a token has its decimals and symbol, or says what is not known', () => {
  const usdt = { decimals: 6, symbol: 'USDT' }
  expect(tokenAmount(70_000_000n, usdt)).toBe('70 USDT')
  expect(tokenAmount(-1_000_500_000n, usdt)).toBe('−1,000.5 USDT')
  expect(tokenAmount(2n ** 256n - 1n, usdt)).toBe('unlimited USDT')
  expect(tokenAmount(5n, { decimals: 0, symbol: null })).toBe('5 of a token')
  expect(tokenAmount(1_000n, { decimals: null, symbol: 'OLD' })).toBe('1,000 units of OLD')
})

test('the largest value of a type means unlimited, and no other', () => {
  for (const bits of [48, 96, 160, 256]) {
    expect(isUnlimited(2n ** BigInt(bits) - 1n, bits)).toBe(true)
    expect(isUnlimited(2n ** BigInt(bits) - 2n, bits)).toBe(false)
  }
  expect(isUnlimited(2n ** 160n - 1n)).toBe(false)
})

test.each([
  [10_000n * ETHER, 10_000n * ETHER - 888_000_000_000n, 18, '', '10,000', '9,999.999999112'],
  [9_999_997_500_000_000_000_000n, 9_999_996_867_258_000_000_000n, 18, '9,999.99', '75', '6867'],
  [5n * ETHER, 5n * ETHER, 18, '5', '', ''],
  [0n, 70_000_000n, 6, '', '0', '70'],
  [100n * ETHER, 100n * ETHER + 3n, 18, '100', '', '.000000000000000003'],
  [12_345n * ETHER, 12_346n * ETHER, 18, '12,34', '5', '6'],
])('%s and %s show the digits that differ', (before, after, decimals, same, first, second) => {
  expect(compare(before, after, decimals)).toEqual({ same, before: first, after: second })
})

test('two amounts that differ never look the same', () => {
  let seed = 1n
  const next = () => (seed = (seed * 6_364_136_223_846_793_005n + 1n) % 2n ** 100n)
  for (let round = 0; round < 2_000; round++) {
    const decimals = Number(next() % 30n)
    const first = next() >> (next() % 100n)
    const second = round % 2 === 0 ? first + 1n + (next() >> 80n) : next() >> (next() % 100n)
    const { same, before, after } = compare(first, second, decimals)
    expect(before === after).toBe(first === second)
    expect(exactAmount(first, decimals).startsWith(same + before)).toBe(true)
    expect(exactAmount(second, decimals).startsWith(same + after)).toBe(true)
  }
})

test('a number with separators is as Intl writes it', () => {
  const digits = Array.from({ length: 40 }, (_, length) => 10n ** BigInt(length) + BigInt(length))
  const whole = digits.flatMap((number) => [number, -number])
  const others = [0, -1234, 999_999, 2 ** 53 - 1, 1e21, 0.5, 1234.5678]
  for (const number of [...whole, ...others]) {
    expect(count(number)).toBe(number.toLocaleString('en-US'))
  }
})
