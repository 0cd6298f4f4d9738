import { EMPTY_BLOOM } from '../../../protocol/header.ts'
import type { RawLog } from '../../types.ts'
import type { Core } from '../core/core.ts'
import { HOST_WORDS } from '../core/layout.ts'

/** The bloom of logs: 256 bytes, three bits for each address and topic (yellow paper 4.3.1). */
export function bloomOf(core: Core, logs: readonly RawLog[]): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM
  const bloom = new Uint8Array(256)
  for (const [address, topics] of logs) {
    add(core, bloom, address)
    for (const topic of topics) add(core, bloom, topic)
  }
  return bloom
}

function add(core: Core, bloom: Uint8Array, item: Uint8Array): void {
  core.hashToWord(item, HOST_WORDS)
  const { u8 } = core
  // The first three pairs of bytes of the hash, whose bytes a word holds in reverse.
  for (let at = HOST_WORDS + 31; at > HOST_WORDS + 25; at -= 2) {
    const bit = (((u8[at] ?? 0) << 8) | (u8[at - 1] ?? 0)) & 0x7ff
    const index = 255 - (bit >> 3)
    bloom[index] = (bloom[index] ?? 0) | (1 << (bit & 7))
  }
}
