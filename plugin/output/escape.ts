/** What can drive a terminal or show one text as another: control characters, and those that turn the direction of text. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/**
 * Text from anybody, such as a contract, as one line that does nothing to a terminal: what could is shown as `\x1b` or
 * `\u202e`.
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

/** JSON text with nothing in it that can drive a terminal; it means the same. */
export function printableJson(json: string): string {
  // JSON itself escapes those below a space; what is left stands inside strings.
  return json.replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The first `length` characters of `text`, and how many more there are. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length)}… (${text.length - length} more characters)`
}

/** A string that is longer is cut; an address and a hash are not. */
const LONGEST_STRING = 66

/** Entries of a list, or of an object, that are shown. */
const MOST_ENTRIES = 12

/** Depth of lists and objects that is shown. */
const DEEPEST = 5

/** Values that are shown in all. */
const MOST_VALUES = 64

/** Methods whose parameters are nobody else's business: passwords, keys, and what somebody signs. */
const SECRET = /^(?:personal_|wallet_|eth_sign)/

/** Code of the error for a method that there is not. */
const METHOD_NOT_FOUND = -32601

/** Whether the parameters of a request stay out of the log; nobody knows what is in those of an unknown method. */
export function areSecret(method: string | null, errorCode: number | undefined): boolean {
  return method === null || SECRET.test(method) || errorCode === METHOD_NOT_FOUND
}

/** Parameters of a request as JSON with long values cut, however large they are. */
export function shortened(params: unknown): unknown {
  let left = MOST_VALUES
  const shorten = (value: unknown, depth: number): unknown => {
    if (--left < 0) return '…'
    if (typeof value === 'string') return shortString(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth >= DEEPEST) return '…'
    if (Array.isArray(value)) {
      const shown = value.slice(0, MOST_ENTRIES).map((entry) => shorten(entry, depth + 1))
      return value.length > shown.length
        ? [...shown, `… ${value.length - shown.length} more`]
        : shown
    }
    const entries: [string, unknown][] = []
    for (const [name, entry] of Object.entries(value)) {
      if (entries.length >= MOST_ENTRIES) {
        entries.push(['…', 'more'])
        break
      }
      entries.push([shortString(name), shorten(entry, depth + 1)])
    }
    return Object.fromEntries(entries)
  }
  return shorten(params, 0)
}

function shortString(text: string): string {
  if (text.length <= LONGEST_STRING) return text
  return `${text.slice(0, LONGEST_STRING / 2)}… (${text.length} characters)`
}
