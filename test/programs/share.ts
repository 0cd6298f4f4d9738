import { Random } from '../support/random.ts'
import { programs } from './outcomes.ts'
import { managers, packagings } from './packaging/rows.ts'

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

/** Of the checks of the package all, but with one package manager, on one Node.js. */
export function packagingShareOf(seed: number): ReadonlyMap<string, string> {
  const random = new Random(seed)
  const [manager] = random.pick(Object.entries(managers))
  return new Map(
    Object.entries(packagings)
      .filter(([name]) => name === manager || !(name in managers))
      .map(([name, versions]) => [name, random.pick(versions)]),
  )
}
