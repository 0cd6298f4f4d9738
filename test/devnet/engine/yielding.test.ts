import { expect, onTestFinished, test, vi } from 'vitest'
import { Pace } from '../../../devnet/engine/yielding.ts'

/** `performance.now` as the test has it. */
function stopwatch() {
  let now = 1_000
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => spy.mockRestore())
  return { spy, pass: (ms: number) => (now += ms) }
}

/** Goes over points that lie `apart` ms from one another, until one pauses; answers how many there were. */
async function pointsToPause(pace: Pace, pass: (ms: number) => void, apart: number) {
  for (let points = 1; ; points++) {
    pass(apart)
    const pause = pace.point()
    if (pause === undefined) continue
    await pause
    return points
  }
}

test('default: pauses once the slice of 5 ms is over', async () => {
  const { pass } = stopwatch()
  const pace = new Pace()
  pace.begin()
  // Some points late, as not each looks at the clock.
  const first = await pointsToPause(pace, pass, 0.01)
  expect(first).toBeGreaterThanOrEqual(500)
  expect(first).toBeLessThan(564)
})

test('behavior: where points lie far apart, each looks at the clock', async () => {
  const { pass } = stopwatch()
  const pace = new Pace()
  pace.begin()
  // Such as a loop over a precompile: nothing is known of the first.
  expect(await pointsToPause(pace, pass, 6)).toBe(8)
  for (let round = 0; round < 3; round++) expect(await pointsToPause(pace, pass, 6)).toBe(1)
})

test('behavior: where points lie close, few look at the clock, also after a slow one or a pause', async () => {
  const { spy, pass } = stopwatch()
  const pace = new Pace()
  pace.begin()
  await pointsToPause(pace, pass, 6)
  pass(50)
  await pointsToPause(pace, pass, 0.001)
  spy.mockClear()
  for (let points = 0; points < 640; points++) {
    pass(0.001)
    expect(pace.point()).toBeUndefined()
  }
  expect(spy).toHaveBeenCalledTimes(10)
})
