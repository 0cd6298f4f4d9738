import { UNLIMITED } from '../../primitives/amounts.ts'
import { plainText } from '../../primitives/errors.ts'
import { isBytes } from '../../primitives/hex.ts'
import type { Describe } from '../../rpc/naming/decodeCall.ts'
import { lower } from '../../rpc/naming/tokenMoves.ts'

/** Names of integers that are times, in s since the epoch. */
const TIME = /deadline|expir|until|valid|time/i
const INDENT = '  '
/** Bits of integers whose largest value means "unlimited". */
const UNLIMITED_BITS: readonly number[] = [96, 128, 160, 256]

/**
 * Values of typed data, one a line, with dates, the names of addresses, and what is unlimited.
 * `undefined` if they take more than `longest` characters, most of which may be indentation.
 */
export function typedText(value: object, describe: Describe, longest: number): string | undefined {
  const lines: string[] = []
  let left = longest
  const add = (fields: object, indent: string): void => {
    for (const [name, one] of Object.entries(fields)) {
      if (left < 0) return
      const label = `${indent}${Array.isArray(fields) ? `[${name}]` : JSON.stringify(name).slice(1, -1)}:`
      const isNested = typeof one === 'object' && one !== null
      const line = isNested ? label : `${label} ${valueText(name, one, describe)}`
      lines.push(line)
      left -= line.length + 1
      if (isNested) add(one, indent + INDENT)
    }
  }
  add(value, '')
  return left < 0 ? undefined : lines.join('\n')
}

function valueText(name: string, value: unknown, describe: Describe): string {
  if (isBytes(value, 20)) return describe(lower(value))
  const integer = integerIn(value)
  const bits = integer?.toString(2).length ?? 0
  if (UNLIMITED_BITS.includes(bits) && integer === 2n ** BigInt(bits) - 1n) {
    return `${UNLIMITED} (2^${bits} − 1)`
  }
  const date = integer !== undefined && TIME.test(name) ? dateOf(integer) : undefined
  if (date !== undefined) return `${date} (${integer})`
  // Other text is quoted, so that none can look like another value.
  return integer === undefined ? (JSON.stringify(value) ?? '') : plainText(value)
}

/** The integer that JSON holds; `undefined` for longer text, which is slow to parse. */
export function integerIn(value: unknown): bigint | undefined {
  const text = Number.isSafeInteger(value) ? plainText(value) : value
  const isShort = typeof text === 'string' && /^(?:0x[0-9a-f]{1,64}|\d{1,78})$/i.test(text)
  return isShort ? BigInt(text) : undefined
}

/** Seconds that are taken for a time: from 2001 to 9999. */
const TIMES = [1_000_000_000n, 253_402_300_799n] as const

/** `2030-03-17 17:46:40 UTC` of s since the epoch; `undefined` if they are hardly a time. */
export function dateOf(seconds: bigint): string | undefined {
  if (seconds < TIMES[0] || seconds > TIMES[1]) return undefined
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
