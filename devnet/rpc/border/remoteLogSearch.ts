import { type LogCriteria, TooManyLogsError } from '../../json/logMatch.ts'
import type { RemoteLogQuery } from '../../json/resolveBlock.ts'
import { DevnetError, RefusedError } from '../../primitives/errors.ts'
import { type Hex, quantity } from '../../primitives/hex.ts'
import { UpstreamError } from '../../state/remote/remoteSource.ts'
import { BUSY_TEXT } from '../../upstream/client/answers.ts'
import type { Upstream } from '../../upstream/types.ts'

/** Maximum number of `eth_getLogs` of one search. */
const MOST_REQUESTS = 2048

/**
 * Asks the upstream for logs. Ranges that it refuses, because they are too long or hold too many
 * logs, are asked for in pieces, down to one block.
 */
export class RemoteLogSearch {
  readonly #upstream: Pick<Upstream, 'request'>
  readonly #query: RemoteLogQuery
  #requests = 0
  #found = 0

  constructor(upstream: Pick<Upstream, 'request'>, query: RemoteLogQuery) {
    this.#upstream = upstream
    this.#query = query
  }

  block(hash: Hex): Promise<readonly unknown[]> {
    return this.#ask({ blockHash: hash })
  }

  /**
   * The logs of the blocks from `first` to `last`, in their order.
   *
   * @throws {DevnetError} the upstream's refusal, if it would take too many pieces
   * @throws {TooManyLogsError}
   */
  async range(first: number, last: number): Promise<readonly unknown[]> {
    // Halves the first piece until the upstream accepts it, then asks for all others at once.
    const ends = [last]
    let end = last
    let refusal: DevnetError | undefined
    let logs: readonly unknown[] | undefined
    while (logs === undefined) {
      try {
        logs = await this.#ask({ fromBlock: quantity(first), toBlock: quantity(end) })
      } catch (error) {
        const isHopeless = end === first || this.#requests >= MOST_REQUESTS
        if (isHopeless || !asksForLess(error)) throw error
        refusal = error
        end = first + Math.floor((end - first) / 2)
        ends.push(end)
      }
    }
    if (refusal === undefined) return logs
    // A limit of blocks holds for all pieces; with a limit of logs, later pieces may differ.
    const isSameLater = !OF_RESULTS.test(refusal.message)
    const rest = isSameLater ? piecesOf(end, last, end - first + 1) : secondHalves(ends)
    if (this.#requests + rest.length > MOST_REQUESTS) throw refusal
    const pieces = await Promise.all(rest.map(([from, to]) => this.range(from, to)))
    return [logs, ...pieces].flat()
  }

  async #ask(blocks: Readonly<Record<string, Hex>>): Promise<readonly unknown[]> {
    const { criteria, most, signal } = this.#query
    // Another piece has found too many logs.
    if (this.#found > most) throw new TooManyLogsError(most)
    this.#requests++
    const filter = { ...blocks, ...criteriaFields(criteria) }
    const logs = await this.#upstream.request('eth_getLogs', [filter], signal)
    if (!Array.isArray(logs)) throw new RefusedError('upstream answered eth_getLogs without a list')
    this.#found += logs.length
    if (this.#found > most) throw new TooManyLogsError(most)
    return logs
  }
}

type Range = readonly [first: number, last: number]

/** The blocks after `end`, so many at a time. */
function piecesOf(end: number, last: number, length: number): Range[] {
  return Array.from({ length: Math.ceil((last - end) / length) }, (_, index) => {
    const first = end + 1 + index * length
    return [first, Math.min(first + length - 1, last)]
  })
}

/** The second halves of ranges of which each is the first half of the one before it. */
function secondHalves(ends: readonly number[]): Range[] {
  return ends
    .slice(1)
    .map((end, index): Range => [end + 1, ends[index] ?? end])
    .reverse()
}

/** Single values without a list around them, which every node takes. */
function criteriaFields({ addresses, topics }: LogCriteria) {
  return {
    ...(addresses.length === 0 ? undefined : { address: singleOrList(addresses) }),
    ...(topics.length === 0
      ? undefined
      : { topics: topics.map((slot) => (slot === null ? null : singleOrList(slot))) }),
  }
}

function singleOrList(values: readonly Hex[]): Hex | readonly Hex[] | undefined {
  return values.length === 1 ? values[0] : values
}

/** Errors of nodes and providers for a range that is too long, or an answer that is too large. */
const TOO_MUCH =
  /range|exceed|limit|too (many|large|big|wide|long)|(more|greater|larger) than|time(d )?-?out/i

/** Their errors about the answer. */
const OF_RESULTS = /results|response|size|time(d )?-?out/i

/** True if an error is a refusal that a shorter range may not meet. */
function asksForLess(error: unknown): error is DevnetError {
  if (!(error instanceof DevnetError) || error instanceof UpstreamError) return false
  // If there are too many requests already, splitting the range would only add to them.
  if (error instanceof TooManyLogsError || BUSY_TEXT.test(error.message)) return false
  return TOO_MUCH.test(error.message)
}
