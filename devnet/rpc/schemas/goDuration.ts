import type { z } from 'zod'
import { shorten } from './issues.ts'
import { type Context, fail, reader, want } from './reader.ts'

/** Units of Go's durations, in ms. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/
const WHOLE = new RegExp(`^\\+?(?:${PART.source})+$`)
const PARTS = new RegExp(PART.source, 'g')

/** A duration as Go writes it, such as `5s` or `1m30s`; read as ms. */
export function goDuration(): z.ZodType<number> {
  return DURATION
}

const DURATION = reader(readDuration)

function readDuration(value: unknown, context: Context): number {
  if (typeof value !== 'string') return fail(context, want('a duration such as "5s"', value))
  if (!WHOLE.test(value)) {
    return fail(
      context,
      `invalid duration "${shorten(value, 20)}", want one such as "5s" or "1m30s"`,
    )
  }
  let total = 0
  for (const [, digits, unit = ''] of value.matchAll(PARTS)) {
    total += Number(digits) * (UNITS[unit] ?? 0)
  }
  if (total > 0 && Number.isFinite(total)) return total
  return fail(context, `a duration of ${shorten(value, 20)} leaves no time, want more`)
}
