import type { StripGroup } from '../api.ts'

/** Maximum number of groups and of cells that the strip holds. */
const MAX_GROUPS = 200
const MAX_CELLS = 1_000

function firstBlock(group: StripGroup): number {
  return group.kind === 'block' ? group.number : group.from
}

function lastBlock(group: StripGroup): number {
  return group.kind === 'block' ? group.number : group.to
}

/**
 * Puts new groups in place of those that they overlap with.
 *
 * @param latest - newest sealed block after blocks were taken back: newer groups go
 */
export function mergeGroups(
  known: readonly StripGroup[],
  added: readonly StripGroup[],
  latest?: number,
): readonly StripGroup[] {
  const kept = known.flatMap((group): StripGroup[] => {
    const end = latest ?? Number.POSITIVE_INFINITY
    if (firstBlock(group) > end) return []
    return [group.kind === 'empty' && group.to > end ? { ...group, to: end } : group]
  })
  const first = added[0]
  if (first === undefined) return bounded(kept)
  const older = kept.filter((group) => lastBlock(group) < firstBlock(first))
  return bounded([...older, ...added])
}

/** Puts older groups in front. */
export function prependGroups(
  known: readonly StripGroup[],
  older: readonly StripGroup[],
): readonly StripGroup[] {
  const first = known[0]
  if (first === undefined) return older
  return [...older.filter((group) => lastBlock(group) < firstBlock(first)), ...known]
}

/** Joins neighbours without transactions, and drops the oldest groups beyond the limits. */
function bounded(list: readonly StripGroup[]): readonly StripGroup[] {
  const joined: StripGroup[] = []
  for (const group of list) {
    const before = joined.at(-1)
    if (group.kind === 'empty' && before?.kind === 'empty' && before.to + 1 >= group.from) {
      joined[joined.length - 1] = { ...before, to: Math.max(before.to, group.to) }
    } else joined.push(group)
  }
  let cells = 0
  let from = joined.length
  while (from > 0 && joined.length - from < MAX_GROUPS) {
    const group = joined[from - 1]
    cells += group?.kind === 'block' ? group.ticks.length : 0
    if (cells > MAX_CELLS) break
    from -= 1
  }
  return joined.slice(from)
}
