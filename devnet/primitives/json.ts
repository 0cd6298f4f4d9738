import { plainText, reasonOf } from './errors.ts'
import type { Paced } from './paced.ts'

/** True if parsed JSON is an object: not `null`, not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A safe integer of a stranger; `otherwise` if it is none. */
export function integerOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : otherwise
}

/** The index behind the JSON string that begins at `start`; that of the end if it has no end. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at)
    if (at < 0) return text.length
    let backslashes = 0
    while (text[at - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return at + 1
  }
}

/**
 * Lists and objects that foreign JSON may have inside each other. Whatever walks it or writes it
 * again may call itself for each: the stack holds some 3,000 such calls.
 */
export const MOST_NESTED = 1_000

/** A text nests more than {@link MOST_NESTED} deep. */
export class NestingError extends SyntaxError {
  override name = 'NestingError'
  constructor() {
    super(`lists and objects are nested more than ${MOST_NESTED} deep`)
  }
}

/**
 * As `JSON.parse`, for a text that somebody else has written: a request, an answer, a file.
 *
 * @throws {SyntaxError} if the text is not JSON
 * @throws {NestingError}
 */
export function parseForeign(text: string): unknown {
  if (isNestedTooDeep(text)) throw new NestingError()
  return JSON.parse(text)
}

/** As {@link parseForeign}, but `undefined` if the text is not JSON: half a file, words. */
export function jsonIn(text: string): unknown {
  try {
    return parseForeign(text)
  } catch {
    return undefined
  }
}

/** True if lists and objects in the JSON text nest more than {@link MOST_NESTED} deep. */
function isNestedTooDeep(text: string): boolean {
  // A shorter text cannot have that many brackets.
  if (text.length <= MOST_NESTED) return false
  let open = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at) - 1
        break
      case OPENING_BRACE:
      case OPENING_BRACKET:
        if (++open > MOST_NESTED) return true
        break
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        open--
    }
  }
  return false
}

/** Characters that are parsed without a pause, in about 1 ms. */
const PIECE = 1 << 16

/**
 * Containers inside so many others are parsed whole, in a text that takes no longer than 10 ms as a
 * whole: each pause passes all the levels above it, and traces nest deeply.
 */
const DEEP = 64
const LONG = 1 << 20

/**
 * As `JSON.parse`, a piece at a time: 15 MB at once would hold the event loop for 150 ms.
 *
 * @throws {SyntaxError} if the text is not JSON
 */
export function* parseJson(text: string): Paced<unknown> {
  if (text.length <= PIECE) return JSON.parse(text)
  return yield* new PieceParser(text, Infinity).parse()
}

/** As {@link parseForeign}, a piece at a time. */
export function* parseForeignInPieces(text: string): Paced<unknown> {
  if (text.length <= PIECE) return parseForeign(text)
  return yield* new PieceParser(text, MOST_NESTED).parse()
}

/** Parses the members of large containers in groups, and those that are large themselves alone. */
class PieceParser {
  readonly #text: string
  readonly #mostNested: number
  #at = 0

  constructor(text: string, mostNested: number) {
    this.#text = text
    this.#mostNested = mostNested
  }

  *parse(): Paced<unknown> {
    const value = yield* this.#value(0)
    yield* this.#skipBlank()
    if (this.#peek() !== '') throw this.#unexpected()
    return value
  }

  *#value(depth: number): Paced<unknown> {
    yield* this.#skipBlank()
    const opening = this.#peek()
    if (opening === '"') return yield* this.#string()
    if (!/[[{]/.test(opening)) return this.#scalar()
    const isCut = depth < DEEP || this.#text.length > LONG
    if (isCut && opening === '{') return yield* this.#object(depth)
    if (isCut && opening === '[') return yield* this.#list(depth)
    const end = this.#endOfMember(this.#at, this.#text.length, depth)
    return this.#piece(end ?? this.#text.length)
  }

  *#object(depth: number): Paced<object> {
    const object: Record<string, unknown> = {}
    this.#at++
    yield* this.#skipBlank()
    if (this.#peek() !== '}') {
      do {
        const end = this.#endOfGroup(depth)
        if (end === undefined) {
          yield* this.#skipBlank()
          if (this.#peek() !== '"') throw this.#unexpected()
          const key = yield* this.#string()
          yield* this.#skipBlank()
          if (this.#peek() !== ':') throw this.#unexpected()
          this.#at++
          setField(object, key, yield* this.#value(depth + 1))
        } else {
          const group = this.#piece(end, '{', '}')
          if (isObject(group)) for (const key in group) setField(object, key, group[key])
        }
        yield* this.#skipBlank()
      } while (this.#hasNext('}'))
    } else this.#at++
    return object
  }

  *#list(depth: number): Paced<unknown[]> {
    const list: unknown[] = []
    this.#at++
    yield* this.#skipBlank()
    if (this.#peek() !== ']') {
      do {
        const end = this.#endOfGroup(depth)
        const group =
          end === undefined ? [yield* this.#value(depth + 1)] : this.#piece(end, '[', ']')
        if (Array.isArray(group)) for (const item of group) list.push(item)
        yield* this.#skipBlank()
      } while (this.#hasNext(']'))
    } else this.#at++
    return list
  }

  /** A string, which may be long. */
  *#string(): Paced<string> {
    const text = this.#text
    let value = ''
    for (let start = ++this.#at; ; start = this.#at) {
      while (this.#at < start + PIECE && text.charCodeAt(this.#at) !== QUOTE) {
        const isEscape = text.charCodeAt(this.#at) === BACKSLASH
        this.#at += isEscape ? (text[this.#at + 1] === 'u' ? 6 : 2) : 1
      }
      if (this.#at >= text.length) throw this.#unexpected()
      const end = this.#at
      this.#at = start
      value += plainText(this.#piece(end, '"', '"'))
      if (text.charCodeAt(end) === QUOTE) break
      yield
    }
    this.#at++
    return value
  }

  /** A number, `true`, `false` or `null`; none is long. */
  #scalar(): unknown {
    const text = this.#text.slice(this.#at, this.#at + PIECE)
    return this.#piece(this.#at + text.search(/[,\]}\s]|$/))
  }

  /** Steps over white space, which may be long, and yields. */
  *#skipBlank(): Paced<void> {
    for (let left = PIECE; BLANKS.has(this.#text.charCodeAt(this.#at)); this.#at++) {
      if (left-- > 0) continue
      yield
      left = PIECE
    }
    yield
  }

  /** Steps over what is behind a member; returns whether another member follows. */
  #hasNext(closing: string): boolean {
    const next = this.#peek()
    if (next !== ',' && next !== closing) throw this.#unexpected()
    this.#at++
    return next === ','
  }

  /** Parses the text up to `end`, which must not be blank, between an opening and a closing. */
  #piece(end: number, opening = '', closing = ''): unknown {
    const start = this.#at
    const text = this.#text.slice(start, end)
    if (opening !== '"' && text.trim() === '') throw this.#unexpected()
    this.#at = end
    try {
      return JSON.parse(opening + text + closing)
    } catch (error) {
      throw new SyntaxError(`${reasonOf(error)} (between the characters ${start} and ${end})`)
    }
  }

  /** Index after the members that fill the next piece; `undefined` if the first is too large. */
  #endOfGroup(depth: number): number | undefined {
    const limit = this.#at + PIECE
    let end = this.#endOfMember(this.#at, limit, depth + 1)
    while (end !== undefined && this.#text[end] === ',') {
      const next = this.#endOfMember(end + 1, limit, depth + 1)
      if (next === undefined) break
      end = next
    }
    return end
  }

  /**
   * The index behind the member that begins at `start`; `undefined` if it is beyond `limit`.
   *
   * @param depth - containers that the member is inside
   */
  #endOfMember(start: number, limit: number, depth: number): number | undefined {
    const text = this.#text
    let open = 0
    for (let at = start; at < limit && at < text.length; at++) {
      switch (text.charCodeAt(at)) {
        case QUOTE:
          at = endOfString(text, at) - 1
          break
        case OPENING_BRACE:
        case OPENING_BRACKET:
          if (depth + ++open > this.#mostNested) throw new NestingError()
          break
        case CLOSING_BRACE:
        case CLOSING_BRACKET:
          if (open === 0) return at
          open--
          break
        case COMMA:
          if (open === 0) return at
      }
    }
    return undefined
  }

  /** The next character that is no white space; empty at the end of the text. */
  #peek(): string {
    while (/[ \t\n\r]/.test(this.#text.charAt(this.#at))) this.#at++
    return this.#text.charAt(this.#at)
  }

  #unexpected(): SyntaxError {
    const found = this.#peek()
    const what = found === '' ? 'end of the text' : `"${found}"`
    return new SyntaxError(`unexpected ${what} at character ${this.#at}`)
  }
}

/**
 * As `JSON.stringify` of objects, lists, strings, numbers and booleans, a piece at a time. Whatever
 * can be iterated is a list, so that a long list need not be made first.
 *
 * @throws {TypeError} for a bigint
 */
export function* stringifyJson(value: unknown): Paced<string[]> {
  const writer = new PieceWriter()
  yield* writer.write(value)
  return writer.end()
}

class PieceWriter {
  readonly #pieces: string[] = []
  #texts: string[] = []
  /** Characters in `#texts`. */
  #size = 0

  end(): string[] {
    this.#endPiece()
    return this.#pieces
  }

  *write(value: unknown): Paced<void> {
    if (typeof value !== 'object' || value === null || isSmall(value)) {
      this.#add(JSON.stringify(value))
    } else if (Symbol.iterator in value) {
      // The cast is safe: nothing else has this symbol.
      yield* this.#writeList(value as Iterable<unknown>)
    } else {
      yield* this.#writeObject(value)
    }
    if (this.#size < PIECE) return
    this.#endPiece()
    yield
  }

  *#writeList(list: Iterable<unknown>): Paced<void> {
    let separator = '['
    for (const item of list) {
      this.#add(separator)
      yield* this.write(item ?? null)
      separator = ','
    }
    this.#add(separator === '[' ? '[]' : ']')
  }

  *#writeObject(object: object): Paced<void> {
    let separator = '{'
    for (const [name, value] of Object.entries(object)) {
      if (value === undefined) continue
      this.#add(`${separator}${JSON.stringify(name)}:`)
      yield* this.write(value)
      separator = ','
    }
    this.#add(separator === '{' ? '{}' : '}')
  }

  #add(text: string): void {
    this.#texts.push(text)
    this.#size += text.length
  }

  #endPiece(): void {
    this.#pieces.push(this.#texts.join(''))
    this.#texts = []
    this.#size = 0
  }
}

/** Most members of a container that is written at once. */
const SMALL = 64

/** True if a container holds few members, and no other container. */
function isSmall(container: object): boolean {
  if (Symbol.iterator in container && !Array.isArray(container)) return false
  const members: unknown[] = Object.values(container)
  return members.length <= SMALL && !members.some((one) => typeof one === 'object' && one !== null)
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c] as const
/** Space, tab, line feed and carriage return. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
const [OPENING_BRACKET, CLOSING_BRACKET] = [0x5b, 0x5d] as const
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d] as const

/** Sets a field as `JSON.parse` does: `__proto__` is a field like any other. */
function setField(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, ...PLAIN })
}

const PLAIN = { configurable: true, enumerable: true, writable: true }
