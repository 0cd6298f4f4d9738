import { expect, test } from 'vitest'
import { age, duration, percent, plural } from '../../../../devnet/pages/kit/shownValue.ts'

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
