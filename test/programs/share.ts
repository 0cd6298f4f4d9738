import { Random } from '../support/random.ts'
import { type Mode, modes } from './modes.ts'
import { programs } from './outcomes.ts'

/** A quarter of the table: each program in one mode, which the seed chooses. */
export function shareOf(seed: number): ReadonlyMap<string, Mode> {
  const random = new Random(seed)
  // Object.keys() forgets that the keys are modes.
  const all = Object.keys(modes) as Mode[]
  return new Map(Object.keys(programs).map((name) => [name, random.pick(all)]))
}
