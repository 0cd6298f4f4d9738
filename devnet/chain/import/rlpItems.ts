import { BlockFormatError } from './blockFormatError.ts'

/** An item of RLP inside other bytes, which are not copied. */
export interface RlpItem {
  readonly isList: boolean
  /** Where it begins, where its content begins, and where both end. */
  readonly start: number
  readonly content: number
  readonly end: number
}

const SHORT_STRING = 0x80
const LONG_STRING = 0xb8
const SHORT_LIST = 0xc0
const LONG_LIST = 0xf8

/** Longest content whose length stands in the first byte. */
const SHORT = 55

/**
 * The item at `start`, which must be the shortest encoding of its content: hashes are taken over it.
 *
 * @param limit - where the bytes around it end
 * @throws {BlockFormatError}
 */
export function readItem(bytes: Uint8Array, start: number, limit: number): RlpItem {
  const first = start < limit ? byteAt(bytes, start) : -1
  if (first < 0) throw new BlockFormatError('is not valid RLP: it ends too early')
  if (first < SHORT_STRING) return { isList: false, start, content: start, end: start + 1 }
  const isList = first >= SHORT_LIST
  const longFrom = isList ? LONG_LIST : LONG_STRING
  const shortFrom = isList ? SHORT_LIST : SHORT_STRING
  const digits = first < longFrom ? 0 : first - longFrom + 1
  const content = start + 1 + digits
  let length = digits === 0 ? first - shortFrom : 0
  if (content > limit) throw new BlockFormatError('is not valid RLP: it ends too early')
  for (let index = start + 1; index < content; index++) length = length * 256 + byteAt(bytes, index)
  const end = content + length
  if (end > limit) throw new BlockFormatError('is not valid RLP: a part reaches over its end')
  const isShorter = digits > 0 && (length <= SHORT || byteAt(bytes, start + 1) === 0)
  const isOwnByte = !isList && length === 1 && byteAt(bytes, content) < SHORT_STRING
  if (isShorter || isOwnByte) {
    throw new BlockFormatError('is not valid RLP: a part is encoded longer than it needs')
  }
  return { isList, start, content, end }
}

/** The items of a list. @throws {BlockFormatError} where it is none */
export function readList(bytes: Uint8Array, list: RlpItem, what: string): RlpItem[] {
  if (!list.isList) throw new BlockFormatError(`has bytes where ${what} should be`)
  const items: RlpItem[] = []
  for (let start = list.content; start < list.end; ) {
    const item = readItem(bytes, start, list.end)
    items.push(item)
    start = item.end
  }
  return items
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0
}
