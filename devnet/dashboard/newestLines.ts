import type { Hex } from '../primitives/hex.ts'

/** An event since the node started; of a request that succeeded, only while a dashboard is open. */
export interface LogLine {
  /** Rises by one. */
  readonly id: number
  /** Wall time, ms since the epoch. */
  readonly time: number
  readonly kind: 'console' | 'failed' | 'request' | 'late' | 'save' | 'undo' | 'fault' | 'hint'
  readonly text: string
  /** The transaction, if the line is of one. */
  readonly transaction: Hex | null
  /** The contract, if there is one. */
  readonly address: Hex | null
  /** ms that a request took; `null` of other lines. */
  readonly elapsed: number | null
}

/**
 * The newest lines, in the order given: at most `most` of requests that succeeded, and as many of
 * all else, so that a busy client does not drive out what went wrong.
 */
export function newestLines(lines: readonly LogLine[], most: number): readonly LogLine[] {
  const [requests, others] = [lines.filter(isRequest), lines.filter((line) => !isRequest(line))]
  if (requests.length <= most && others.length <= most) return lines
  const kept = new Set([...requests.slice(-most), ...others.slice(-most)])
  return lines.filter((line) => kept.has(line))
}

export function isRequest({ kind }: Pick<LogLine, 'kind'>): boolean {
  return kind === 'request'
}
