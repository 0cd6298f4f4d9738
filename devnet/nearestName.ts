/**
 * The name that `word` most likely stands for; `undefined` when none is near enough to be meant.
 * Case, dashes and underscores do not count, so that `tick-interval` finds `tickInterval`.
 */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const wanted = plain(word)
  let nearest: string | undefined
  // Of three letters one may be wrong, of ten three.
  let least = Math.floor(wanted.length / 3) + 1
  for (const name of names) {
    const distance = editDistance(wanted, plain(name))
    if (distance < least) {
      least = distance
      nearest = name
    }
  }
  return nearest
}

function plain(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase()
}

/** Levenshtein distance: how many letters must be inserted, removed or changed; two that changed places count once. */
function editDistance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...to].entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1)
      const swapped =
        line > 0 && column > 0 && letter === to[column - 1] && other === from[line - 1]
          ? (before[column - 1] ?? 0) + 1
          : changed
      next.push(Math.min(changed, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}
