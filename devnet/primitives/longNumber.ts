import { UNLIMITED, UNLIMITED_NOTE } from './amounts.ts'

/** Digits from which on a number is hard to read without separators. */
const LONG = 7

/** Trailing zeros from which on an exponent is easier to read, as in amounts of 18 decimals. */
const ZEROS = 9

/** Digits before the exponent at most. */
const SIGNIFICANT = 6

/** A number in decimals with its exponent, e.g. `7e18`; `undefined` if it has too many digits. */
export function withExponent(text: string): string | undefined {
  const [, sign = '', digits = ''] = /^(-?)(\d+)$/.exec(text) ?? []
  const significant = digits.replace(/0+$/, '')
  const zeros = digits.length - significant.length
  if (significant === '' || zeros < ZEROS || significant.length > SIGNIFICANT) return undefined
  const fraction = significant.slice(1)
  const point = fraction === '' ? '' : '.'
  return `${sign}${significant.slice(0, 1)}${point}${fraction}e${digits.length - 1}`
}

/** A number in decimals with separators, e.g. `1,204,000`; any other text as it is. */
export function withSeparators(text: string): string {
  return /^-?\d+$/.test(text) ? BigInt(text).toLocaleString('en-US') : text
}

/**
 * A number in decimals as a reader takes it in at once, e.g. `7e18` or `unlimited`; any other text
 * as it is.
 */
export function readableNumber(text: string): string {
  if (text.endsWith(UNLIMITED_NOTE)) return UNLIMITED
  return text.length < LONG ? text : (withExponent(text) ?? withSeparators(text))
}
