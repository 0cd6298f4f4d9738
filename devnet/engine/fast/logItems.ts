import { PooledCopies, RecentItems } from '../../primitives/recentItems.ts'
import { type BloomBits, bitsOfBloom, setBloomBits, textOfBits } from '../../protocol/bloom.ts'
import type { RawLog } from '../../protocol/receipt.ts'
import type { Core } from '../core/core.ts'
import { HOST_WORDS, WORD } from '../core/layout.ts'

/** Items of a transaction's logs above which duplicates among their bits are worth a search. */
const MANY_ITEMS = 40

interface Item {
  readonly bytes: Uint8Array
  /** Its three bits in a bloom, once they have been asked for. */
  bits: readonly [number, number, number] | undefined
}

/**
 * Parts of logs that occurred lately. Logs that repeat a part share one array of it, and its bits
 * in the bloom are computed once: most logs come from few contracts, events and users.
 */
export class LogItems {
  readonly #core: Core
  readonly #copies = new PooledCopies()
  readonly #items = new RecentItems<Item>((source, at, length) => ({
    bytes: this.#copies.of(source, at, length),
    bits: undefined,
  }))

  constructor(core: Core) {
    this.#core = core
  }

  /** An array with the 20 or 32 bytes at `at` of the core's memory; not to be written to. */
  shared(at: number, length: number): Uint8Array {
    return this.#items.of(this.#core.u8, at, length).bytes
  }

  /** As {@link shared}, for a word. */
  sharedWord(at: number): Uint8Array {
    this.#core.exports.reverse(at, HOST_WORDS)
    return this.shared(HOST_WORDS, WORD)
  }

  /** An array with the same bytes as `source`. */
  sharedBytes(source: Uint8Array): Uint8Array {
    return this.#items.of(source).bytes
  }

  /** The bits of these logs in a bloom: three for each address and topic (yellow paper 4.3.1). */
  bloomBits(logs: readonly RawLog[]): BloomBits {
    if (logs.length === 0) return ''
    const bits: number[] = []
    for (const [address, topics] of logs) {
      bits.push(...this.#bits(address))
      for (const topic of topics) bits.push(...this.#bits(topic))
    }
    if (bits.length <= 3 * MANY_ITEMS) return textOfBits(bits)
    const bloom = new Uint8Array(256)
    for (let from = 0; from < bits.length; from += MANY_ITEMS) {
      setBloomBits(bloom, textOfBits(bits.slice(from, from + MANY_ITEMS)))
    }
    return bitsOfBloom(bloom)
  }

  #bits(bytes: Uint8Array): readonly [number, number, number] {
    const item = this.#items.of(bytes)
    if (item.bits === undefined) {
      const core = this.#core
      core.hashToWord(bytes, HOST_WORDS)
      const { u8 } = core
      // The first three pairs of bytes of the hash, whose bytes a word holds in reverse.
      const bit = (at: number) => (((u8[at] ?? 0) << 8) | (u8[at - 1] ?? 0)) & 0x7ff
      item.bits = [bit(HOST_WORDS + 31), bit(HOST_WORDS + 29), bit(HOST_WORDS + 27)]
    }
    return item.bits
  }
}
