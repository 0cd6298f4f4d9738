/** Characters that are invisible or reorder others, so that two different names can look alike. */
const HIDDEN =
  /\p{Cc}|\p{Cf}|\p{Co}|\p{Cs}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}/gu

/** Untrusted text with each hidden character replaced by its code, e.g. `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

/** Like {@link visible}, but keeps the line breaks, e.g. of a message to sign. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

/** Both ends of an address or hash, which are enough to tell known ones apart. */
export function short(hex: string): string {
  return hex.length > 14 ? `${hex.slice(0, 8)}…${hex.slice(-4)}` : hex
}

/** Times that rows come in turn before they are folded, and how many of them at most. */
const FEWEST_TIMES = 3
const MOST_IN_TURN = 3

/** Rows of a stack. Those that a recursion repeats are there once, with how often they come. */
export function foldedRows(rows: readonly string[]): { row: string; times: number }[] {
  const folded: { row: string; times: number }[] = []
  for (let at = 0; at < rows.length; ) {
    let [count, times] = [0, 0]
    while (times < FEWEST_TIMES && ++count <= MOST_IN_TURN) {
      let end = at + count
      while (end < rows.length && rows[end] === rows[end - count]) end++
      times = Math.floor((end - at) / count)
    }
    if (times < FEWEST_TIMES) [count, times] = [1, 1]
    for (const row of rows.slice(at, at + count)) folded.push({ row, times })
    at += count * times
  }
  return folded
}
