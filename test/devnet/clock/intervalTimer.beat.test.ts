import { expect, test } from 'vitest'
import { Beat } from '../../../devnet/clock/intervalTimer.ts'

test('default: beats on a grid', () => {
  const beat = new Beat(200, 1_000)
  expect(beat.next(1_000)).toBe(1_200)
  expect(beat.isDue(1_199)).toBe(false)
  expect(beat.isDue(1_200)).toBe(true)
  beat.step(1_207)
  expect(beat.next(1_207)).toBe(1_400)
})

test('behavior: a late beat is not made up for', () => {
  const beat = new Beat(200, 0)
  beat.step(1_150)
  expect(beat.next(1_150)).toBe(1_200)
  beat.step(1_400)
  expect(beat.next(1_400)).toBe(1_600)
})

test('behavior: freeze keeps what was left of the interval', () => {
  const beat = new Beat(2_000, 0)
  beat.freeze(500)
  expect(beat.running).toBe(false)
  expect(beat.isDue(10_000)).toBe(false)
  beat.freeze(9_000)
  beat.resume(10_000)
  expect(beat.next(10_000)).toBe(11_500)
})

test('behavior: a commanded beat restarts the interval, frozen or not', () => {
  const beat = new Beat(2_000, 0)
  beat.restart(300)
  expect(beat.next(300)).toBe(2_300)
  beat.freeze(1_300)
  beat.restart(5_000)
  beat.resume(6_000)
  expect(beat.next(6_000)).toBe(8_000)
})

test('behavior: interval 0 is never due', () => {
  expect(new Beat(0, 0).isDue(1_000_000)).toBe(false)
})

test('behavior: snapshot and restore at another time', () => {
  const beat = new Beat(2_000, 0)
  const snapshot = beat.snapshot(700)
  beat.freeze(900)
  beat.interval = 12_000
  beat.restore(snapshot, 100_700)
  expect([beat.running, beat.interval, beat.next(100_700)]).toEqual([true, 2_000, 102_000])
})
