import { expect, test } from 'vitest'
import { modes } from '../programs/modes.ts'
import { programs } from '../programs/outcomes.ts'
import { shareOf } from '../programs/share.ts'

test('a share has each program in one mode, and is the same for the same seed', () => {
  expect([...shareOf(1).keys()]).toEqual(Object.keys(programs))
  expect(shareOf(1)).toEqual(shareOf(1))
  expect(shareOf(1)).not.toEqual(shareOf(2))
})

test('a hundred shares have every program in every mode', () => {
  const played = new Set<string>()
  // Seeds are times of commits.
  for (let seed = 1_790_000_000; seed < 1_790_000_100; seed++) {
    for (const [name, mode] of shareOf(seed)) played.add(`${name}, ${mode}`)
  }
  expect(played.size).toBe(Object.keys(programs).length * Object.keys(modes).length)
})
