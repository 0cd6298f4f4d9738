/** The value of an empty slot and of no code; one object, so that it can be compared by identity. */
export const EMPTY_BYTES: Uint8Array = new Uint8Array(0)

/** Bytes of a word of the EVM. */
export const WORD = 32

const scratch = new Uint8Array(WORD)
const scratchView = new DataView(scratch.buffer)

/** The view that was asked for last: one frame's memory is read and written many times in a row. */
let lastBytes: Uint8Array = scratch
let lastView: DataView = scratchView

function viewOf(bytes: Uint8Array): DataView {
  if (bytes !== lastBytes) {
    lastBytes = bytes
    lastView = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  return lastView
}

/** The big-endian number in the 32 bytes from `offset` on. */
export function readWord(bytes: Uint8Array, offset: number): bigint {
  return readView(viewOf(bytes), offset)
}

function readView(view: DataView, offset: number): bigint {
  const first = view.getBigUint64(offset)
  const second = view.getBigUint64(offset + 8)
  const third = view.getBigUint64(offset + 16)
  const fourth = view.getBigUint64(offset + 24)
  if (first === 0n && second === 0n) return third === 0n ? fourth : (third << 64n) | fourth
  return (((((first << 64n) | second) << 64n) | third) << 64n) | fourth
}

/** Writes `value`, below 2^256, big-endian to the 32 bytes from `offset` on. */
export function writeWord(bytes: Uint8Array, offset: number, value: bigint): void {
  const view = viewOf(bytes)
  let start = offset + WORD
  // Each takes the low 64 bits.
  for (let rest = value; start > offset; rest >>= 64n) {
    start -= 8
    view.setBigUint64(start, rest)
  }
}

/** The big-endian number in `bytes`. */
export function bytesToBigInt(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n
  if (bytes.length > WORD) return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  if (bytes.length <= 6) {
    let small = 0
    for (const byte of bytes) small = small * 256 + byte
    return BigInt(small)
  }
  const start = WORD - bytes.length
  scratch.fill(0, 0, start)
  scratch.set(bytes, start)
  return readView(scratchView, 0)
}

// Buffer's own methods work on any Uint8Array; TextDecoder('latin1') would give windows-1252 and is slower.
const latin1Slice: (this: Uint8Array, start: number, end: number) => string =
  Object.getOwnPropertyDescriptor(Buffer.prototype, 'latin1Slice')?.value
const latin1Write: (this: Uint8Array, text: string, offset: number, length: number) => number =
  Object.getOwnPropertyDescriptor(Buffer.prototype, 'latin1Write')?.value

/**
 * Bytes as text, one character each. As text 32 bytes take 48 in memory, as a Uint8Array 248; and text can be the key
 * of a Map.
 */
export function bytesToText(bytes: Uint8Array): string {
  return latin1Slice.call(bytes, 0, bytes.length)
}

/** The bytes that {@link bytesToText} was given. */
export function textToBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < bytes.length; index++) bytes[index] = text.charCodeAt(index)
  return bytes
}

/** Writes the bytes that `text` stands for to `target`; answers the offset after them. */
export function writeText(target: Uint8Array, text: string, offset: number): number {
  return offset + latin1Write.call(target, text, offset, text.length)
}

const word = new Uint8Array(32)
const view = new DataView(word.buffer)

/**
 * Big-endian without leading zeros; empty for 0, as RLP wants it.
 *
 * @param value - below 2^256
 */
export function bigIntToBytes(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES
  let start = 32
  for (let rest = value; rest > 0n; rest >>= 64n) {
    start -= 8
    // Takes the low 64 bits.
    view.setBigUint64(start, rest)
  }
  while (word[start] === 0) start++
  return word.slice(start)
}

/** The form in which the state keeps a slot: without leading zeros, nothing for zero. */
export function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start++
  if (start === bytes.length) return EMPTY_BYTES
  return start === 0 ? bytes : bytes.slice(start)
}

export const ZERO_HASH = new Uint8Array(32)
export const ZERO_ADDRESS = new Uint8Array(20)

/** Big-endian on 32 bytes. */
export function bigIntTo32Bytes(value: bigint): Uint8Array {
  return padTo32(bigIntToBytes(value))
}

/** Zeros in front, up to 32 bytes. */
export function padTo32(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 32) return bytes
  const padded = new Uint8Array(32)
  padded.set(bytes, 32 - bytes.length)
  return padded
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const joined = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}
