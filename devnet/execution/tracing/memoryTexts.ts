import type { TraceStep } from './tracer.ts'

const WORD = 32

/** Bytes that are compared, and made text of, at a time. */
const CHUNK = 32 * WORD

/** Characters of a word in quotation marks, with the comma behind it. */
const WORD_TEXT = 2 * WORD + 5

/**
 * Makes text of memories, one after the other. A step changes a word or two of them at most, and to compare bytes takes a
 * fraction of the time that writing them takes.
 */
export class MemoryTexts {
  /** What the texts say. */
  #bytes = Buffer.alloc(CHUNK)
  #texts: string[] = []

  /** The words of memory in quotation marks with commas between them; what was paid for and not used yet is zero. */
  join({ state, memoryWords }: Pick<TraceStep, 'state' | 'memoryWords'>): string {
    const size = memoryWords * WORD
    this.#makeRoom(size)
    for (let start = 0; start < size; start += CHUNK) {
      this.#update(state.memory._store, start, Math.min(start + CHUNK, size))
    }
    return this.#texts.slice(0, Math.ceil(size / CHUNK)).join(',')
  }

  #makeRoom(size: number): void {
    if (this.#bytes.length >= size) return
    const larger = Buffer.alloc(Math.max(size, 2 * this.#bytes.length))
    larger.set(this.#bytes)
    this.#bytes = larger
  }

  #update(store: Uint8Array, start: number, end: number): void {
    const index = start / CHUNK
    const known = this.#bytes.subarray(start, end)
    const now = end <= store.length ? store.subarray(start, end) : padded(store, start, end)
    const length = ((end - start) / WORD) * WORD_TEXT - 1
    if (this.#texts[index]?.length === length && known.equals(now)) return
    known.set(now)
    const digits = known.toString('hex')
    const words: string[] = []
    for (let at = 0; at < digits.length; at += 2 * WORD) {
      words.push(`"0x${digits.slice(at, at + 2 * WORD)}"`)
    }
    this.#texts[index] = words.join(',')
  }
}

function padded(store: Uint8Array, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - start)
  bytes.set(store.subarray(start, end))
  return bytes
}
