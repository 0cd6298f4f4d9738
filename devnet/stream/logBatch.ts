import type { RawLog } from '../engine/types.ts'
import type { BlockPlace } from '../json/blockRef.ts'
import { formatLog } from '../json/formatLog.ts'
import type { LogMatcher } from '../json/logMatch.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { Push } from './subscriptions.ts'

/** The logs of a block, or of a tick, for many subscribers: each log is encoded once, when somebody first wants it. */
export class LogBatch {
  readonly #executed: readonly ExecutedTransaction[]
  readonly #bloom: Uint8Array
  readonly #place: BlockPlace
  readonly #texts = new Map<RawLog, string>()

  /** @param bloom - of all these logs, and perhaps of more; 256 bytes */
  constructor(executed: readonly ExecutedTransaction[], bloom: Uint8Array, place: BlockPlace) {
    this.#executed = executed
    this.#bloom = bloom
    this.#place = place
  }

  /** Sends the logs that match, one by one, in the order of the chain. */
  sendTo(push: Push, matcher: LogMatcher): void {
    if (!matcher.mayMatch(this.#bloom)) return
    for (const executed of this.#executed) {
      if (executed.logs.length === 0 || !matcher.mayMatch(executed.bloom)) continue
      for (const [index, log] of executed.logs.entries()) {
        if (matcher.matches(log)) push(this.#text(log, index, executed))
      }
    }
  }

  #text(log: RawLog, index: number, executed: ExecutedTransaction): string {
    let text = this.#texts.get(log)
    if (text === undefined) {
      text = JSON.stringify(formatLog(log, index, executed, this.#place))
      this.#texts.set(log, text)
    }
    return text
  }
}
