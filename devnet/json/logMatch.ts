import type { Crypto } from '../engine/crypto.ts'
import type { RawLog } from '../engine/types.ts'
import { fromHex, type Hex, toHex } from '../primitives/hex.ts'
import type { BlockNumberReference } from '../protocol/blockReference.ts'

/** Which logs are asked for. */
export interface LogFilter {
  /** The one block to look in; never together with a range. */
  readonly blockHash?: Hex | undefined
  readonly fromBlock?: BlockNumberReference | undefined
  readonly toBlock?: BlockNumberReference | undefined
  /** Emitters; an empty list admits every one. */
  readonly addresses: readonly Hex[]
  /** At most 4 positions, each with the topics it admits; `null` admits every one. */
  readonly topics: readonly (readonly Hex[] | null)[]
}

/** What of a filter is asked of each log. */
export type LogCriteria = Pick<LogFilter, 'addresses' | 'topics'>

/** The three bits that a value sets in a bloom (yellow paper 4.3.1). */
type BloomBits = readonly [number, number, number]

/** Tells which logs, and by their bloom which blocks, a filter is about. */
export interface LogMatcher {
  matches(log: RawLog): boolean
  /** False where no log under this bloom of 256 bytes can match. */
  mayMatch(bloom: Uint8Array): boolean
}

/** A matcher for one filter; the hashes of its values are computed once. */
export function createLogMatcher(
  { addresses, topics }: LogCriteria,
  keccak256: Crypto['keccak256'],
): LogMatcher {
  const addressSet = addresses.length === 0 ? undefined : new Set(addresses)
  const topicSets = topics.map((slot) => (slot === null ? undefined : new Set(slot)))
  // Each of these groups must have a value that is in the bloom.
  const groups: BloomBits[][] = []
  for (const values of [addressSet, ...topicSets]) {
    if (values !== undefined) groups.push([...values].map((value) => bloomBits(value, keccak256)))
  }
  return {
    mayMatch: (bloom) => groups.every((group) => group.some((bits) => hasBits(bloom, bits))),
    matches([address, logTopics]) {
      if (logTopics.length < topicSets.length) return false
      if (addressSet !== undefined && !addressSet.has(toHex(address))) return false
      return topicSets.every((admitted, index) => {
        if (admitted === undefined) return true
        const topic = logTopics[index]
        return topic !== undefined && admitted.has(toHex(topic))
      })
    },
  }
}

function bloomBits(value: Hex, keccak256: Crypto['keccak256']): BloomBits {
  const hash = keccak256(fromHex(value))
  const bit = (at: number) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047
  return [bit(0), bit(2), bit(4)]
}

function hasBits(bloom: Uint8Array, bits: BloomBits): boolean {
  for (const bit of bits) {
    // Bit 0 is the lowest of the last byte.
    if (((bloom[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) === 0) return false
  }
  return true
}
