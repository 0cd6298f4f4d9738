/** 0x-prefixed hexadecimal text. */
export type Hex = `0x${string}`

/** True if a value is 0x-prefixed hexadecimal, of either case and any number of digits. */
export function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value)
}

/**
 * True if a value is bytes as 0x-prefixed hexadecimal of either case.
 *
 * @param count - how many. Default: any number
 */
export function isBytes(value: unknown, count?: number): value is Hex {
  if (!isHex(value)) return false
  return count === undefined ? value.length % 2 === 0 : value.length === 2 + 2 * count
}

/** True if a value from outside is this text, in whatever case. */
export function isSameHex(value: unknown, hex: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === hex.toLowerCase()
}

/** The number in 1 to 64 digits of 0x-prefixed hexadecimal; `undefined` for anything else. */
export function quantityFrom(value: unknown): bigint | undefined {
  return isHex(value) && value.length > 2 && value.length <= 66 ? BigInt(value) : undefined
}

/**
 * A number as 0x-prefixed hexadecimal without leading zeros.
 *
 * @throws {RangeError} for a negative number, which no client could read
 */
export function quantity(value: bigint | number): Hex {
  if (!(value >= 0)) throw new RangeError(`${value} is no quantity`)
  return `0x${value.toString(16)}`
}

/** {@link quantity}, or `undefined` for `undefined`. */
export function optionalQuantity(value: bigint | number | undefined): Hex | undefined {
  return value === undefined ? undefined : quantity(value)
}

// A native method of Buffer that works on any Uint8Array.
const hexSlice: (this: Uint8Array, start: number, end: number) => string =
  Object.getOwnPropertyDescriptor(Buffer.prototype, 'hexSlice')?.value

/** Bytes as 0x-prefixed lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): Hex {
  return `0x${hexSlice.call(bytes, 0, bytes.length)}`
}

/** Decodes 0x-prefixed hexadecimal of either case with an even number of digits. */
export function fromHex(hex: string): Uint8Array {
  const buffer = Buffer.from(hex.slice(2), 'hex')
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)
}
