/**
 * Number of characters that may wait, so that a reader that stops reading cannot fill the memory.
 */
const MAX_WAITING = 1_048_576

/**
 * Writes lines to a stream whose reader may be slow or gone: printing never waits, and the lines
 * that such a reader misses are counted.
 */
export class LineWriter {
  readonly #stream: NodeJS.WritableStream
  readonly #omitted: (count: number) => string
  #lines: string[] = []
  #length = 0
  #left = 0
  #scheduled = false
  #isFull = false
  #isGone = false

  /** @param omitted - returns the line that says how many lines were left out */
  constructor(stream: NodeJS.WritableStream, omitted: (count: number) => string) {
    this.#stream = stream
    this.#omitted = omitted
    // If the reader goes away (`… | grep -m1 Started`), printing ends but the node runs on, as with
    // `hardhat node`.
    stream.on('error', () => {
      this.#isGone = true
      this.#lines = []
      this.#length = 0
    })
    stream.on('drain', () => {
      this.#isFull = false
      this.flush()
    })
  }

  /** Counts a line that is left out before it is formatted. */
  omit(): void {
    this.#left++
  }

  print(...lines: readonly string[]): void {
    if (this.#isGone) return
    for (const line of lines) {
      if (this.#length > MAX_WAITING) {
        this.#left++
        continue
      }
      this.#lines.push(line)
      this.#length += line.length + 1
    }
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.flush()
    })
  }

  /** Writes the waiting lines to the stream, unless its buffer is full. */
  flush(): void {
    if (this.#isGone || this.#isFull || this.#lines.length + this.#left === 0) return
    if (this.#left > 0) this.#lines.push(this.#omitted(this.#left))
    const text = `${this.#lines.join('\n')}\n`
    this.#lines = []
    this.#length = 0
    this.#left = 0
    this.#isFull = !this.#stream.write(text)
  }
}
