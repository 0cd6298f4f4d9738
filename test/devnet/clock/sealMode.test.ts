import { describe, expect, test } from 'vitest'
import { SealMode } from '../../../devnet/clock/sealMode.ts'

/** What happens by itself: `instant`, `beats`, both or nothing. */
function state(mode: SealMode): string {
  return [mode.instant ? 'instant' : '', mode.beats ? 'beats' : ''].join(' ').trim()
}

const started = (instant = false) => new SealMode({ instant, frozen: false })

test('default: the sealing clock beats', () => {
  expect(state(started())).toBe('beats')
})

test('args: instant: nothing is sealed without a transaction', () => {
  expect(state(started(true))).toBe('instant')
})

test('behavior: freeze leaves instant mode, resume restores it', () => {
  const mode = started(true)
  mode.freeze()
  expect(state(mode)).toBe('')
  mode.resume()
  expect(state(mode)).toBe('instant')
})

test('behavior: frozen at the start, resume enters the mode that was asked for', () => {
  const modes = [true, false].map((instant) => new SealMode({ instant, frozen: true }))
  expect(modes.map(state)).toEqual(['', ''])
  for (const mode of modes) mode.resume()
  expect(modes.map(state)).toEqual(['instant', 'beats'])
})

describe('setAutomine', () => {
  test('default: off, nothing is sealed until resume or an interval', () => {
    const resumed = started()
    resumed.setAutomine(false)
    expect(state(resumed)).toBe('')
    resumed.resume()
    expect(state(resumed)).toBe('beats')
    const beating = started(true)
    beating.setAutomine(false)
    beating.setBeats(true)
    expect(state(beating)).toBe('beats')
  })

  test('behavior: on, the beats of the start end, and a freeze does too', () => {
    const mode = started()
    mode.freeze()
    mode.setAutomine(true)
    expect(state(mode)).toBe('instant')
  })

  test('behavior: beats that were asked for go on', () => {
    const mode = started()
    mode.setBeats(true)
    mode.setAutomine(true)
    expect(state(mode)).toBe('instant beats')
    mode.setAutomine(false)
    expect(state(mode)).toBe('beats')
    mode.setBeats(false)
    expect(state(mode)).toBe('')
  })
})

test('behavior: no beats leave instant mode as it is, and end no freeze', () => {
  const mode = started(true)
  mode.setBeats(false)
  expect(state(mode)).toBe('instant')
  mode.freeze()
  mode.setBeats(false)
  expect(state(mode)).toBe('')
})

test('behavior: snapshot and restore', () => {
  const mode = started()
  mode.setBeats(true)
  mode.setAutomine(true)
  mode.freeze()
  const snapshot = mode.snapshot()
  mode.resume()
  mode.setAutomine(false)
  mode.setBeats(false)
  mode.restore(snapshot)
  expect(state(mode)).toBe('')
  mode.resume()
  expect(state(mode)).toBe('instant beats')
  // The beats are still those that were asked for.
  mode.setAutomine(false)
  expect(state(mode)).toBe('beats')
})
