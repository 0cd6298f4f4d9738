/** Where something stands in a code, in bytes. */
export interface Place {
  readonly start: number
  readonly length: number
}

/** Code as the compiler made it. */
export interface CodeTemplate {
  readonly bytes: Buffer
  /** What linking and deployment fill in, in order. */
  readonly holes: readonly Place[]
}

const PUSH20 = 0x73

/** Addresses of libraries have 20 bytes. */
const ADDRESS_LENGTH = 20

/**
 * Code of an artifact; `undefined` for that of an interface, which has none, and where it is not hexadecimal.
 *
 * @param hex - with or without `0x`; holes may hold anything
 * @param holes - in any order
 */
export function codeTemplate(hex: string, holes: readonly Place[]): CodeTemplate | undefined {
  let digits = hex.startsWith('0x') ? hex.slice(2) : hex
  if (digits.length === 0) return undefined
  for (const { start, length } of holes) {
    // Names of libraries that are not linked yet are no hexadecimal.
    digits = digits.slice(0, start * 2) + '00'.repeat(length) + digits.slice((start + length) * 2)
  }
  const bytes = Buffer.from(digits, 'hex')
  if (bytes.length * 2 !== digits.length) return undefined
  const all = isLibrary(bytes) ? [...holes, { start: 1, length: ADDRESS_LENGTH }] : [...holes]
  return { bytes, holes: all.sort((one, other) => one.start - other.start) }
}

/** The code of a library begins with its own address, by which it knows that it is not called directly. */
function isLibrary(bytes: Buffer): boolean {
  return bytes[0] === PUSH20 && bytes.subarray(1, 1 + ADDRESS_LENGTH).every((byte) => byte === 0)
}

/** Whether `code` begins with the template's bytes, whatever stands in the holes. */
export function beginsWith(code: Buffer, { bytes, holes }: CodeTemplate): boolean {
  if (code.length < bytes.length) return false
  let position = 0
  for (const { start, length } of [...holes, { start: bytes.length, length: 0 }]) {
    if (start > position && bytes.compare(code, position, start, position, start) !== 0) {
      return false
    }
    position = Math.max(position, start + length)
  }
  return true
}
