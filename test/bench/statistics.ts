/** The middle value, or the mean of the two in the middle. @throws {RangeError} of no values */
export function median(values: readonly number[]): number {
  const sorted = ascending(values)
  const half = sorted.length >> 1
  const upper = at(sorted, half)
  return sorted.length % 2 === 1 ? upper : (at(sorted, half - 1) + upper) / 2
}

/**
 * The smallest value that at least `percent` % of the values do not exceed (nearest rank).
 *
 * @throws {RangeError} of no values
 */
export function percentile(values: readonly number[], percent: number): number {
  const rank = Math.ceil((percent / 100) * values.length)
  return at(ascending(values), Math.max(0, rank - 1))
}

function ascending(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort()
}

function at(sorted: Float64Array, index: number): number {
  const value = sorted[index]
  if (value === undefined) throw new RangeError('No values to take a statistic of')
  return value
}
