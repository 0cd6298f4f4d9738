import { expect, test } from 'vitest'
import { Intervals } from '../../../devnet/clock/intervalTimer.ts'

const take = (intervals: Intervals, count: number) =>
  Array.from({ length: count }, () => intervals.next())

test('default: always the same', () => {
  expect(take(new Intervals(2000), 3)).toEqual([2000, 2000, 2000])
})

test('args: range: all over it, and never outside', () => {
  const taken = take(new Intervals([1000, 1009]), 100)
  expect([...new Set(taken)].sort()).toEqual(Array.from({ length: 10 }, (_, index) => 1000 + index))
  expect(take(new Intervals([5, 5]), 2)).toEqual([5, 5])
})

test('equal runs take equal intervals', () => {
  const first = take(new Intervals([1, 100_000]), 20)
  expect(take(new Intervals([1, 100_000]), 20)).toEqual(first)
  const other = new Intervals(7)
  other.next()
  other.set([1, 100_000])
  expect(take(other, 20)).toEqual(first)
})

test('snapshot and restore', () => {
  const intervals = new Intervals([1, 100_000])
  take(intervals, 3)
  const restore = intervals.snapshot()
  const after = take(intervals, 5)
  intervals.set(9)
  restore()
  expect(take(intervals, 5)).toEqual(after)
})
