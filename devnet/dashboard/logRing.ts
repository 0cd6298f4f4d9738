import { lineText } from './logLines.ts'
import { isRequest, type LogLine } from './newestLines.ts'

/** Number of kept lines of requests that succeeded, and of all else. */
const MOST_LINES = 1000

export class LogRing {
  readonly #requests: LogLine[] = []
  readonly #others: LogLine[] = []
  #nextId = 1

  get nextId(): number {
    return this.#nextId
  }

  add(line: Pick<LogLine, 'kind' | 'text'> & Partial<LogLine>): void {
    const lines = isRequest(line) ? this.#requests : this.#others
    lines.push({
      transaction: null,
      address: null,
      elapsed: null,
      ...line,
      text: lineText(line.text),
      id: this.#nextId++,
      time: Date.now(),
    })
    if (lines.length > MOST_LINES) lines.shift()
  }

  /** The lines after the one with this id, oldest first, and how many of them are lost. */
  after(id: number): { readonly lines: readonly LogLine[]; readonly omitted: number } {
    const lines = [...this.#requests, ...this.#others]
      .filter((line) => line.id > id)
      .sort((one, other) => one.id - other.id)
    return { lines, omitted: Math.max(0, this.#nextId - 1 - id - lines.length) }
  }
}
