import type { LogLine } from './apiTypes/logTypes.ts'

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
