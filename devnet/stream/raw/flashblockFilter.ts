import type { Crypto } from '../../engine/crypto.ts'
import { createLogMatcher, type LogMatcher } from '../../json/logMatch.ts'
import { InvalidParamsError, shorten } from '../../primitives/errors.ts'
import { type Hex, isBytes } from '../../primitives/hex.ts'
import type { ExecutedTransaction, RawLog } from '../../protocol/receipt.ts'

/** True if a client wants a message that adds these transactions. */
export type FlashblockFilter = (executed: readonly ExecutedTransaction[]) => boolean

/** A log has at most 4 topics (LOG4). */
const TOPIC_SLOTS = 4

/**
 * The filter in a query: `addresses` and `topics`, each a list with commas, and `match`. With `any`
 * (default), one log must come from one of the addresses or have one of the topics, at any place;
 * with `all` both.
 *
 * @throws {InvalidParamsError} if a value is malformed, or there is nothing to filter by
 */
export function readFlashblockFilter(
  query: URLSearchParams,
  keccak256: Crypto['keccak256'],
): FlashblockFilter {
  const addresses = valuesOf(query, 'addresses', 20)
  const topics = valuesOf(query, 'topics', 32)
  const match = query.get('match') ?? 'any'
  if (match !== 'any' && match !== 'all') throw invalidParam('match', 'any or all', match)
  if (addresses.length + topics.length === 0) {
    throw new InvalidParamsError('nothing to filter by: give addresses or topics')
  }
  const emitter = { addresses, topics: [] }
  const bySlot = Array.from({ length: TOPIC_SLOTS }, (_, slot) => [
    ...new Array<null>(slot).fill(null),
    topics,
  ])
  const matchers: LogMatcher[] = []
  const add = (criteria: Parameters<typeof createLogMatcher>[0]) =>
    matchers.push(createLogMatcher(criteria, keccak256))
  if (topics.length === 0 || (match === 'any' && addresses.length > 0)) add(emitter)
  if (topics.length > 0) {
    const from = match === 'all' ? addresses : []
    for (const slots of bySlot) add({ addresses: from, topics: slots })
  }
  const wants = (log: RawLog, candidates: readonly LogMatcher[]) =>
    candidates.some((matcher) => matcher.matches(log))
  return (executed) =>
    executed.some(({ logs, bloomBits }) => {
      if (logs.length === 0) return false
      const candidates = matchers.filter((matcher) => matcher.mayMatch(bloomBits))
      return candidates.length > 0 && logs.some((log) => wants(log, candidates))
    })
}

/** The values of a list, whose number the length of a URL bounds. */
function valuesOf(query: URLSearchParams, name: string, bytes: number): Hex[] {
  const values = query.getAll(name).flatMap((list) => (list === '' ? [] : list.split(',')))
  return values.map((value) => {
    if (!isBytes(value, bytes)) {
      throw invalidParam(name, `0x and ${2 * bytes} hexadecimal digits, with commas between`, value)
    }
    return value
  })
}

function invalidParam(name: string, expected: string, value: string): InvalidParamsError {
  const given = JSON.stringify(shorten(value, 80))
  return new InvalidParamsError(`${name} must be ${expected}, not ${given}`)
}
