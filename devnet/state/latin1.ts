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
