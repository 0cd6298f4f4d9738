import { expect, test } from 'vitest'
import { sorted } from '../../../../devnet/persistence/dump/statesText.ts'
import { Random } from '../../../support/random.ts'

/** Drives the generator to its end; answers the result and how often it paused. */
function run(keys: readonly string[]) {
  const generator = sorted(keys)
  for (let pauses = 0; ; pauses++) {
    const { done, value } = generator.next()
    if (done === true) return { value, pauses }
  }
}

test.each([0, 1, 2, 4095, 4096, 4097, 20_000])('%i texts', (count) => {
  const random = new Random(count)
  const keys = Array.from({ length: count }, () => String(random.below(1_000_000)))
  expect(run(keys).value).toEqual([...keys].sort())
})

test('pauses often enough that none takes long', () => {
  const random = new Random(1)
  const keys = Array.from({ length: 50_000 }, () => String(random.below(1_000_000)))
  expect(run(keys).pauses).toBeGreaterThan(150)
})
