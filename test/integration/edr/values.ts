import type { Hex } from 'viem'

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && value.startsWith('0x')
}

/** The value as hexadecimal text. */
export function hexOf(value: unknown): Hex {
  if (!isHex(value)) throw new Error(`Not hexadecimal: ${JSON.stringify(value)}`)
  return value
}

/** As nodes answer it, without the mixed case of a checksum. */
export function lower(address: Hex): Hex {
  return hexOf(address.toLowerCase())
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value as an object. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new Error(`Not an object: ${JSON.stringify(value)}`)
  return value
}
