import type { StripGroup } from '../../dashboard/groups.ts'

/** Groups side by side, without a gap between them. */
export interface HeldGroups {
  /** Oldest first. */
  readonly groups: readonly StripGroup[]
  /** Block before which older groups lie; `null` if there are none. */
  readonly older: number | null
}

/** Maximum number of groups and of cells that the strip holds. */
interface Limits {
  readonly groups: number
  readonly cells: number
}

/** While the newest group is in view. */
const FOLLOWING: Limits = { groups: 200, cells: 1_000 }
/** While a person looks at older ones, which should stay. */
const BROWSING: Limits = { groups: 600, cells: 3_000 }

function firstBlock(group: StripGroup): number {
  return group.kind === 'block' ? group.number : group.from
}

function lastBlock(group: StripGroup): number {
  return group.kind === 'block' ? group.number : group.to
}

/**
 * Puts new groups in place of those that they overlap with. The oldest go beyond the limits, and
 * those that would leave a gap.
 *
 * @param isBrowsing - whether a person looks at older groups
 * @param latest - newest sealed block after blocks were taken back: newer groups go
 */
export function mergeGroups(
  { groups, older }: HeldGroups,
  added: readonly StripGroup[],
  isBrowsing: boolean,
  latest = Number.POSITIVE_INFINITY,
): HeldGroups {
  const kept = groups.flatMap((group): StripGroup[] => {
    if (firstBlock(group) > latest) return []
    return [group.kind === 'empty' && group.to > latest ? { ...group, to: latest } : group]
  })
  const begin = added[0] === undefined ? Number.POSITIVE_INFINITY : firstBlock(added[0])
  const before = kept.filter((group) => lastBlock(group) < begin)
  const last = before.at(-1)
  const isGap = added.length > 0 && last !== undefined && lastBlock(last) + 1 < begin
  const all = joined([...(isGap ? [] : before), ...added])
  const shown = newest(all, isBrowsing ? BROWSING : FOLLOWING)
  const [first] = shown
  const isCut = isGap || shown.length < all.length
  return { groups: shown, older: isCut && first !== undefined ? firstBlock(first) : older }
}

/** Puts older groups in front. */
export function prependGroups(held: HeldGroups, page: HeldGroups): HeldGroups {
  const [first] = held.groups
  if (first === undefined) return page
  const before = page.groups.filter((group) => lastBlock(group) < firstBlock(first))
  const last = before.at(-1)
  // The answer no longer fits the gap that it was requested for.
  if (last !== undefined && lastBlock(last) + 1 < firstBlock(first)) return held
  return { groups: joined([...before, ...held.groups]), older: page.older }
}

/** True if as many groups are held as a person can look at in one picture. */
export function isFull({ groups }: HeldGroups): boolean {
  return (
    newest(groups, { groups: BROWSING.groups - 1, cells: BROWSING.cells }).length < groups.length
  )
}

/** Joins neighbours without transactions. */
function joined(list: readonly StripGroup[]): readonly StripGroup[] {
  const all: StripGroup[] = []
  for (const group of list) {
    const before = all.at(-1)
    if (group.kind === 'empty' && before?.kind === 'empty' && before.to + 1 >= group.from) {
      all[all.length - 1] = { ...before, to: Math.max(before.to, group.to) }
    } else all.push(group)
  }
  return all
}

function newest(list: readonly StripGroup[], limits: Limits): readonly StripGroup[] {
  let cells = 0
  let from = list.length
  while (from > 0 && list.length - from < limits.groups) {
    const group = list[from - 1]
    cells += group?.kind === 'block' ? group.ticks.length : 0
    if (cells > limits.cells) break
    from -= 1
  }
  return list.slice(from)
}
