import type { PendingView } from '../chain/building/pendingView.ts'
import type { Crypto } from '../engine/crypto.ts'
import { bytesToText, sameBytes } from '../primitives/bytes.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import { fromHex, type Hex, quantity } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { BlockNumberReference } from '../protocol/blockReference.ts'
import { type BloomBits, hasBloomBit } from '../protocol/bloom.ts'
import type { ExecutedTransaction, RawLog } from '../protocol/receipt.ts'
import { type BlockRef, isPending } from './blockRef.ts'
import { formatLog } from './formatLog.ts'
import type { FormattedLog } from './receiptForm.ts'

/** Filter of `eth_getLogs`, `eth_newFilter` and subscriptions. */
export interface LogFilter {
  /** One block; never together with a range. */
  readonly blockHash?: Hex | undefined
  readonly fromBlock?: BlockNumberReference | undefined
  readonly toBlock?: BlockNumberReference | undefined
  /** Emitting contracts; an empty list admits all. */
  readonly addresses: readonly Hex[]
  /** At most 4 positions, each with the topics it admits; `null` admits all. */
  readonly topics: readonly (readonly Hex[] | null)[]
}

export type LogCriteria = Pick<LogFilter, 'addresses' | 'topics'>

/** The three bits that a value sets in a bloom (yellow paper 4.3.1). */
type ValueBits = readonly [number, number, number]

/** Matches logs, and blocks by their bloom. */
export interface LogMatcher {
  matches(log: RawLog): boolean
  /** False if no log under this bloom, 256 bytes or its bits, can match. */
  mayMatch(bloom: Uint8Array | BloomBits): boolean
}

/** Creates a matcher, which hashes the values of its filter only once. */
export function createLogMatcher(
  { addresses, topics }: LogCriteria,
  keccak256: Crypto['keccak256'],
): LogMatcher {
  const emitters = addresses.length === 0 ? undefined : oneOf(addresses)
  const admitted = topics.map((slot) => (slot === null ? undefined : oneOf(slot)))
  // A bloom may match if it contains at least one value of each group.
  const groups: ValueBits[][] = []
  for (const values of [addresses.length === 0 ? null : addresses, ...topics]) {
    if (values !== null) groups.push(values.map((value) => bloomBits(value, keccak256)))
  }
  return {
    mayMatch: (bloom) => groups.every((group) => group.some((bits) => hasBits(bloom, bits))),
    matches([address, logTopics]) {
      if (logTopics.length < admitted.length) return false
      if (emitters !== undefined && !emitters(address)) return false
      for (let index = 0; index < admitted.length; index++) {
        const admits = admitted[index]
        const topic = logTopics[index]
        if (admits !== undefined && (topic === undefined || !admits(topic))) return false
      }
      return true
    },
  }
}

/** Up to so many values are compared one by one, which is faster than a look-up by text. */
const FEW = 4

function oneOf(values: readonly Hex[]): (bytes: Uint8Array) => boolean {
  if (values.length <= FEW) {
    const few = values.map(fromHex)
    return (bytes) => {
      const last = bytes.length - 1
      for (const value of few) {
        // The last byte first: topics that are addresses or numbers begin alike.
        if (value[last] === bytes[last] && sameBytes(value, bytes)) return true
      }
      return false
    }
  }
  const texts = new Set(values.map((value) => bytesToText(fromHex(value))))
  return (bytes) => texts.has(bytesToText(bytes))
}

function bloomBits(value: Hex, keccak256: Crypto['keccak256']): ValueBits {
  const hash = keccak256(fromHex(value))
  const bit = (at: number) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047
  return [bit(0), bit(2), bit(4)]
}

function hasBits(bloom: Uint8Array | BloomBits, bits: ValueBits): boolean {
  for (const bit of bits) {
    if (typeof bloom === 'string') {
      if (!hasBloomBit(bloom, bit)) return false
      continue
    }
    // Bit 0 is the lowest of the last byte.
    if (((bloom[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** The matching logs of a transaction, each formatted only when it is asked for. */
export function* matchingLogs(
  executed: ExecutedTransaction,
  block: BlockRef,
  matcher: LogMatcher,
): Generator<FormattedLog> {
  const { logs } = executed
  if (logs.length === 0 || !matcher.mayMatch(executed.bloomBits)) return
  for (let index = 0; index < logs.length; index++) {
    const log = logs[index]
    if (log !== undefined && matcher.matches(log)) yield formatLog(log, index, executed, block)
  }
}

/** The bloom of all logs in a block: 256 bytes. */
export function bloomOf(block: SealedBlock | PendingView): Uint8Array {
  return isPending(block) ? block.bloom : block.header.logsBloom
}

/** The block range ends before it begins. */
export const invalidBlockRange = () => new InvalidParamsError('invalid block range params')

/** A query finds more logs than one answer may hold: code -32602. */
export class TooManyLogsError extends InvalidParamsError {
  override name = 'TooManyLogsError'

  /** Suggests the part of the range within the limit, if any. */
  constructor(limit: number, first = 0, lastThatFits = -1) {
    const hint =
      lastThatFits >= first
        ? `retry with the range ${quantity(first)}-${quantity(lastThatFits)}`
        : 'retry with addresses or topics in the filter'
    super(`query exceeds max results ${limit}, ${hint}`)
  }
}
