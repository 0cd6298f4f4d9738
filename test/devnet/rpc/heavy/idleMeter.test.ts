import { expect, test } from 'vitest'
import { IdleMeter } from '../../../../devnet/rpc/heavy/idleMeter.ts'

/** A loop whose times the test sets, in ms. */
function createLoop() {
  let times = { active: 1_000, idle: 0 }
  const meter = new IdleMeter(() => times)
  const pass = (active: number, idle: number) => {
    times = { active: times.active + active, idle: times.idle + idle }
  }
  return { meter, pass }
}

test('default: what was since the last question counts', () => {
  const { meter, pass } = createLoop()
  pass(4, 6)
  expect(meter.isIdle()).toBe(true)
  pass(6, 4)
  expect(meter.isIdle()).toBe(false)
  pass(5, 5)
  expect(meter.isIdle()).toBe(true)
})

test('help is no reason to stop helping', () => {
  const { meter, pass } = createLoop()
  pass(10, 0)
  meter.helped(4)
  meter.helped(4)
  expect(meter.isIdle()).toBe(true)
  pass(10, 0)
  expect(meter.isIdle()).toBe(false)
})

test('who has other work beside the help is busy', () => {
  const { meter, pass } = createLoop()
  pass(20, 0)
  meter.helped(8)
  expect(meter.isIdle()).toBe(false)
})

test('default: the loop of this process', () => {
  const meter = new IdleMeter()
  const end = performance.now() + 5
  while (performance.now() < end);
  expect(meter.isIdle()).toBe(false)
})
