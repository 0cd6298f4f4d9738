import { stripVTControlCharacters } from 'node:util'
import { columnIndent } from './lines.ts'

/** Up one line, and at its end away with what is left of the old one. */
const REPLACE = (line: string) => `\u001b[1A\r${line}\u001b[K`

/** What is printed at once. */
export interface Entry {
  readonly lines: readonly string[]
  /** Entries in a row with the same key are folded into one; they have one line. */
  readonly key?: string | undefined
}

/** Folds equal entries, as `hardhat node` does: on a terminal the line counts up, elsewhere the count follows. */
export class Folding {
  readonly #print: (...lines: readonly string[]) => void
  readonly #columns: () => number | undefined
  #key: string | undefined
  #count = 0
  /** Repetitions that no line tells of yet. */
  #untold = 0

  /** @param columns - width of the terminal; `undefined` where there is none */
  constructor(print: (...lines: readonly string[]) => void, columns: () => number | undefined) {
    this.#print = print
    this.#columns = columns
  }

  add({ lines, key }: Entry): void {
    if (key === undefined || key !== this.#key) {
      this.flush()
      this.#key = key
      this.#count = 1
      this.#print(...lines)
      return
    }
    this.#count++
    const line = `${lines[0] ?? ''} (${this.#count})`
    // A line that wraps takes more than one row, and only the last of them would be replaced.
    if (stripVTControlCharacters(line).length < (this.#columns() ?? 0)) this.#print(REPLACE(line))
    else this.#untold++
  }

  /** Tells what is not told yet, and starts anew. */
  flush(): void {
    if (this.#untold > 0) this.#print(`${columnIndent}… and ${this.#untold} more of these`)
    this.#untold = 0
    this.#key = undefined
  }
}
