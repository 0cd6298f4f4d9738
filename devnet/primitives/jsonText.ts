/**
 * JSON text in pieces. A result is kept as text if objects would take too much memory, and in
 * pieces if one string would hold the event loop for long when it is made, encoded or written.
 */
export class JsonText {
  readonly pieces: readonly (string | SharedText)[]
  /** Number of characters. */
  readonly length: number

  constructor(text: string | readonly (string | SharedText)[]) {
    this.pieces = typeof text === 'string' ? [text] : text
    let length = 0
    for (const piece of this.pieces) length += pieceText(piece).length
    this.length = length
  }

  /** All of it as one string, which a long text should not become. */
  get text(): string {
    return this.pieces.map(pieceText).join('')
  }

  toString(): string {
    return this.text
  }

  /** Number of bytes. */
  byteLength(): number {
    let length = 0
    for (const piece of this.pieces) {
      length += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.bytes.length
    }
    return length
  }

  /** The bytes, in large parts. None begins in the middle of a character. */
  *encode(): Generator<Buffer, void> {
    let text = ''
    for (const piece of this.pieces) {
      text += pieceText(piece)
      if (text.length < PIECE) continue
      yield* encodeString(text)
      text = ''
    }
    yield* encodeString(text)
  }
}

/** JSON text that is part of many messages: it is encoded once for all of them. */
export class SharedText {
  readonly text: string
  #bytes: Buffer | undefined

  constructor(text: string) {
    this.text = text
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.text)
    return this.#bytes
  }
}

/** A value that many messages share. @throws {TypeError} if it holds a bigint */
export function sharedJson(value: unknown): SharedText {
  return new SharedText(JSON.stringify(value))
}

/** Characters that are encoded at a time: a trace of 100 MB at once takes 100 ms. */
export const PIECE = 1 << 20

function pieceText(piece: string | SharedText): string {
  return typeof piece === 'string' ? piece : piece.text
}

function* encodeString(text: string): Generator<Buffer, void> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + PIECE, text.length)
    const isHighSurrogate = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
    if (end < text.length && isHighSurrogate) end--
    yield Buffer.from(text.slice(start, end))
    start = end
  }
}
