/** Characters that control a terminal, or disguise text by changing its direction. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/**
 * Makes untrusted text, such as a contract's, one line that cannot control a terminal: unsafe
 * characters are shown as `\x1b` or `\u202e`.
 */
export function printable(text: string): string {
  return text.toWellFormed().replace(UNSAFE, (character) => {
    if (character === '\t') return character
    if (character === '\n') return '\\n'
    if (character === '\r') return '\\r'
    const code = character.charCodeAt(0).toString(16)
    return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`
  })
}

/** Splits text into lines and makes each {@link printable}. */
export function printableLines(text: string): string[] {
  return text.split(/\r?\n/).map(printable)
}

/** Escapes JSON so that it cannot control a terminal; its meaning stays the same. */
export function printableJson(json: string): string {
  // `JSON.stringify` escapes control characters below U+0020; the others occur only in strings.
  const code = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0')
  return json.replace(UNSAFE, (character) => `\\u${code(character)}`)
}
