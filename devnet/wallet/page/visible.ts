/** Characters that show nothing, or turn the order of those around them: a name could look like another with them. */
const HIDDEN =
  /\p{Cc}|\p{Cf}|\p{Co}|\p{Cs}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}/gu

/** A text of a stranger in which nothing hides: such characters stand there by their code, e.g. `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

/** The same for a text with lines, such as a message to sign. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}
