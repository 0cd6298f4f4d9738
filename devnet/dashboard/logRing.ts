import type { LogLine } from './api.ts'
import { lineText } from './logLines.ts'

/** How many lines are kept. */
const MOST_LINES = 1000

/** The newest lines of the log. */
export class LogRing {
  readonly #lines: LogLine[] = []
  #nextId = 1

  /** Id of the next line. */
  get nextId(): number {
    return this.#nextId
  }

  add(line: Pick<LogLine, 'kind' | 'text'> & Partial<LogLine>): void {
    this.#lines.push({
      transaction: null,
      address: null,
      ...line,
      text: lineText(line.text),
      id: this.#nextId++,
      time: Date.now(),
    })
    if (this.#lines.length > MOST_LINES) this.#lines.shift()
  }

  /** The lines after the one with this id, oldest first, and how many of them are lost. */
  after(id: number): { readonly lines: readonly LogLine[]; readonly omitted: number } {
    const lines = this.#lines.filter((line) => line.id > id)
    const first = lines[0]?.id ?? this.#nextId
    return { lines, omitted: first - id - 1 }
  }
}
