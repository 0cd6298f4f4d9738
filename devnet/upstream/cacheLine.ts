import { crc32 } from 'node:zlib'
import { jsonIn } from '../primitives/json.ts'
import type { UpstreamTime } from './upstreamTime.ts'

/** ms after which lines are appended to their file. */
const WRITE_INTERVAL = 250

/** Takes lines of a cache file. */
export type Lines = Pick<LineWriter, 'add' | 'close'>

/** Appends lines to a cache file, those of some time together. */
export class LineWriter {
  readonly #time: UpstreamTime
  readonly #append: (text: string) => Promise<void>
  readonly #onFailure: (error: unknown) => void
  #lines: string[] = []
  #cancel: (() => void) | undefined
  #writing: Promise<void> = Promise.resolve()

  /** @param onFailure - hears each time that `append` fails: a full disk must not end a chain */
  constructor(
    time: UpstreamTime,
    append: (text: string) => Promise<void>,
    onFailure: (error: unknown) => void,
  ) {
    this.#time = time
    this.#append = append
    this.#onFailure = onFailure
  }

  add(line: string): void {
    this.#lines.push(line)
    this.#cancel ??= this.#time.after(WRITE_INTERVAL, () => this.#write())
  }

  /** Writes what the file does not have yet. */
  async close(): Promise<void> {
    this.#write()
    await this.#writing
  }

  #write(): void {
    this.#cancel?.()
    this.#cancel = undefined
    if (this.#lines.length === 0) return
    // The line break in front ends the half line of a process that was killed.
    const text = `\n${this.#lines.join('\n')}\n`
    this.#lines = []
    this.#writing = this.#writing.then(() => this.#append(text)).catch(this.#onFailure)
  }
}

/** A line of a cache file: a list of the value's CRC-32 and the value. */
export function checkedLine(value: readonly unknown[]): string {
  const text = JSON.stringify(value)
  return `["${checksum(text)}",${text}]`
}

/** The value of a line; `undefined` if the line is damaged, empty or cut off. */
export function readLine(line: string): unknown {
  // By place: a pattern for the rest would keep a place to go back to for each character.
  const text = line.slice(12, -1)
  const isWhole = /^\["[0-9a-f]{8}",/.test(line) && line.endsWith(']')
  return isWhole && checksum(text) === line.slice(2, 10) ? jsonIn(text) : undefined
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
