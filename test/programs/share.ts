import { Random } from '../support/random.ts'
import { programs } from './outcomes.ts'

/** About a fifth of the table: each program in one mode, which the seed chooses. */
export function shareOf(seed: number): ReadonlyMap<string, string> {
  const random = new Random(seed)
  return new Map(
    Object.entries(programs).map(([name, { outcomes, likeAnvil }]) => [
      name,
      random.pick(Object.keys({ ...outcomes, ...likeAnvil })),
    ]),
  )
}
