import { expect, test } from 'vitest'
import { IntervalTimer } from '../../../devnet/clock/intervalTimer.ts'

test('default: due on a grid', () => {
  const timer = new IntervalTimer(200, 1_000)
  expect(timer.next(1_000)).toBe(1_200)
  expect(timer.isDue(1_199)).toBe(false)
  expect(timer.isDue(1_200)).toBe(true)
  timer.step(1_207)
  expect(timer.next(1_207)).toBe(1_400)
})

test('a missed interval is not made up for', () => {
  const timer = new IntervalTimer(200, 0)
  timer.step(1_150)
  expect(timer.next(1_150)).toBe(1_200)
  timer.step(1_400)
  expect(timer.next(1_400)).toBe(1_600)
})

test('freeze keeps what was left of the interval', () => {
  const timer = new IntervalTimer(2_000, 0)
  timer.freeze(500)
  expect(timer.running).toBe(false)
  expect(timer.isDue(10_000)).toBe(false)
  timer.freeze(9_000)
  timer.resume(10_000)
  expect(timer.next(10_000)).toBe(11_500)
})

test('a command restarts the interval, frozen or not', () => {
  const timer = new IntervalTimer(2_000, 0)
  timer.restart(300)
  expect(timer.next(300)).toBe(2_300)
  timer.freeze(1_300)
  timer.restart(5_000)
  timer.resume(6_000)
  expect(timer.next(6_000)).toBe(8_000)
})

test('interval 0 is never due', () => {
  expect(new IntervalTimer(0, 0).isDue(1_000_000)).toBe(false)
})

test('snapshot and restore at another time', () => {
  const timer = new IntervalTimer(2_000, 0)
  const snapshot = timer.snapshot(700)
  timer.freeze(900)
  timer.interval = 12_000
  timer.restore(snapshot, 100_700)
  expect([timer.running, timer.interval, timer.next(100_700)]).toEqual([true, 2_000, 102_000])
})
