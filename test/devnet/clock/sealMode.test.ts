import { describe, expect, test } from 'vitest'
import { SealMode } from '../../../devnet/clock/sealMode.ts'

/** What happens by itself: `instant`, `interval`, both or nothing. */
function state(mode: SealMode): string {
  return [mode.instant ? 'instant' : '', mode.onInterval ? 'interval' : ''].join(' ').trim()
}

const started = (instant = false) => new SealMode({ instant, frozen: false, frozenTicks: false })

test('default: sealing at the interval', () => {
  expect(state(started())).toBe('interval')
})

test('args: instant: nothing is sealed without a transaction', () => {
  expect(state(started(true))).toBe('instant')
})

test('freeze leaves instant mode, resume restores it', () => {
  const mode = started(true)
  mode.freeze()
  expect(state(mode)).toBe('')
  mode.resume(true)
  expect(state(mode)).toBe('instant')
})

test('frozen at the start, resume enters the mode that was asked for', () => {
  const modes = [true, false].map(
    (instant) => new SealMode({ instant, frozen: true, frozenTicks: false }),
  )
  expect(modes.map(state)).toEqual(['', ''])
  for (const mode of modes) mode.resume(true)
  expect(modes.map(state)).toEqual(['instant', 'interval'])
})

describe('setAutomine', () => {
  test('default: off, nothing is sealed until resume or an interval', () => {
    const resumed = started()
    resumed.setAutomine(false)
    expect(state(resumed)).toBe('')
    resumed.resume(true)
    expect(state(resumed)).toBe('interval')
    const running = started(true)
    running.setAutomine(false)
    running.setInterval(true)
    expect(state(running)).toBe('interval')
  })

  test('enabling it ends the initial interval and a freeze', () => {
    const mode = started()
    mode.freeze()
    mode.setAutomine(true)
    expect(state(mode)).toBe('instant')
  })

  test('an interval that was asked for stays', () => {
    const mode = started()
    mode.setInterval(true)
    mode.setAutomine(true)
    expect(state(mode)).toBe('instant interval')
    mode.setAutomine(false)
    expect(state(mode)).toBe('interval')
    mode.setInterval(false)
    expect(state(mode)).toBe('')
  })
})

test('stopping the interval leaves instant mode and a freeze alone', () => {
  const mode = started(true)
  mode.setInterval(false)
  expect(state(mode)).toBe('instant')
  mode.freeze()
  mode.setInterval(false)
  expect(state(mode)).toBe('')
})

test('snapshot and restore', () => {
  const mode = started()
  mode.setInterval(true)
  mode.setAutomine(true)
  mode.freeze()
  const snapshot = mode.snapshot()
  mode.resume(true)
  mode.setAutomine(false)
  mode.setInterval(false)
  mode.restore(snapshot)
  expect(state(mode)).toBe('')
  mode.resume(true)
  expect(state(mode)).toBe('instant interval')
  // The interval is still the one that was asked for.
  mode.setAutomine(false)
  expect(state(mode)).toBe('interval')
})
