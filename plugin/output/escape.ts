/** Characters that control a terminal, or disguise text by changing its direction. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/**
 * Untrusted text, such as a contract's, as one line that cannot control a terminal: unsafe
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

/** The same for text of several lines. */
export function printableLines(text: string): string[] {
  return text.split(/\r?\n/).map(printable)
}

/** JSON text that cannot control a terminal and means the same. */
export function printableJson(json: string): string {
  // JSON itself escapes the characters below a space; the others occur in strings only.
  const code = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0')
  return json.replace(UNSAFE, (character) => `\\u${code(character)}`)
}

/** The first `length` characters of `text`, and how many more there are. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length)}… (${text.length - length} more characters)`
}
