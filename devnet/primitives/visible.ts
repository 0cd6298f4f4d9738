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

/** Times that a row comes in turn before it is folded. */
const FEWEST_TIMES = 3

/** Rows of a stack. One that a recursion repeats is there once, with how often it comes. */
export function foldedRows(rows: readonly string[]): { row: string; times: number }[] {
  const folded: { row: string; times: number }[] = []
  for (const row of rows) {
    const last = folded.at(-1)
    if (last?.row === row) last.times++
    else folded.push({ row, times: 1 })
  }
  return folded.flatMap((one) =>
    one.times < FEWEST_TIMES ? new Array(one.times).fill({ ...one, times: 1 }) : [one],
  )
}
