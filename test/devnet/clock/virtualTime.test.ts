import { expect, test } from 'vitest'
import { VirtualTime } from '../../../devnet/clock/virtualTime.ts'

function stopwatch() {
  let wall = 5_000
  return { wall: () => wall, pass: (ms: number) => (wall += ms) }
}

test('default: stands until resumed, then follows the wall clock', () => {
  const { wall, pass } = stopwatch()
  const time = new VirtualTime(1_000, wall)
  pass(500)
  expect(time.now()).toBe(1_000)
  time.resume()
  pass(500)
  expect(time.now()).toBe(1_500)
})

test('stop and resume never jump', () => {
  const { wall, pass } = stopwatch()
  const time = new VirtualTime(1_000, wall)
  time.resume()
  pass(10)
  time.stop()
  pass(1_000_000)
  expect(time.now()).toBe(1_010)
  time.resume()
  expect(time.now()).toBe(1_010)
  pass(1)
  expect(time.now()).toBe(1_011)
})

test('moves by command, running or not', () => {
  const { wall, pass } = stopwatch()
  const time = new VirtualTime(0, wall)
  time.advance(200)
  expect(time.now()).toBe(200)
  time.resume()
  time.advance(1_000)
  pass(5)
  expect(time.now()).toBe(1_205)
  time.jumpTo(100)
  expect(time.now()).toBe(100)
})

test('goes on when the wall clock is set back, and does not jump when it was back while it stood', () => {
  const { wall, pass } = stopwatch()
  const time = new VirtualTime(1_000, wall)
  time.resume()
  pass(10)
  expect(time.now()).toBe(1_010)
  pass(-3_600_000)
  expect(time.now()).toBe(1_010)
  pass(200)
  expect(time.now()).toBe(1_210)
  expect(time.ahead).toBe(3_600_000 - 4_000)
  time.stop()
  pass(-1_000)
  time.resume()
  pass(5)
  expect(time.now()).toBe(1_215)
})

test('whole seconds change with those of the wall, whatever the offset', () => {
  const { wall, pass } = stopwatch()
  pass(700)
  const time = new VirtualTime(1_000, wall)
  time.resume()
  expect(time.second).toBe(1)
  pass(299)
  expect(time.second).toBe(1)
  pass(1)
  expect([time.second, time.now()]).toEqual([2, 1_300])
  time.advance(10_000)
  expect(time.second).toBe(12)
  time.jumpTo(50_000)
  expect(time.second).toBe(50)
  time.stop()
  pass(5_000)
  expect(time.second).toBe(50)
})
