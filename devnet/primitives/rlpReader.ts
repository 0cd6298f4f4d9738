import { bytesToBigInt, EMPTY_BYTES } from './bytes.ts'
import { RLP_LIST, RLP_SHORT, RLP_STRING, type RlpInput } from './rlp.ts'

/** The bytes are not the RLP that was expected. The message says what "it" is or has instead. */
export class RlpError extends Error {
  override name = 'RlpError'
}

/** Position of an RLP item in the bytes around it. */
export interface RlpItem {
  readonly isList: boolean
  /** Start of its prefix, start of its content, and end of both. */
  readonly start: number
  readonly content: number
  readonly end: number
}

/** Smallest prefixes of a long string and a long list; the length follows in bytes of its own. */
const LONG_STRING = 0xb8
export const LONG_LIST = 0xf8

/**
 * Reads the item at `start`. Only its shortest encoding is valid, because the encoding is hashed.
 *
 * @param limit - end of the list around it, or of `bytes`
 * @throws {RlpError} if it is not valid RLP
 */
export function readRlpItem(bytes: Uint8Array, start: number, limit: number): RlpItem {
  const first = start < limit ? byteAt(bytes, start) : -1
  if (first < 0) throw new RlpError('is not valid RLP: it ends too early')
  if (first < RLP_STRING) return { isList: false, start, content: start, end: start + 1 }
  const isList = first >= RLP_LIST
  const longFrom = isList ? LONG_LIST : LONG_STRING
  const shortFrom = isList ? RLP_LIST : RLP_STRING
  const digits = first < longFrom ? 0 : first - longFrom + 1
  const content = start + 1 + digits
  let length = digits === 0 ? first - shortFrom : 0
  if (content > limit) throw new RlpError('is not valid RLP: it ends too early')
  for (let index = start + 1; index < content; index++) length = length * 256 + byteAt(bytes, index)
  const end = content + length
  if (end > limit) throw new RlpError('is not valid RLP: a part reaches over its end')
  const isShorter = digits > 0 && (length <= RLP_SHORT || byteAt(bytes, start + 1) === 0)
  const isOwnByte = !isList && length === 1 && byteAt(bytes, content) < RLP_STRING
  if (isShorter || isOwnByte) {
    throw new RlpError('is not valid RLP: a part is encoded longer than it needs')
  }
  return { isList, start, content, end }
}

/**
 * The items of a list.
 *
 * @param what - the list's name, for errors
 * @param most - maximum number of items; default: any number
 * @throws {RlpError} if `list` is not one, has too many items, or an item is malformed
 */
export function readRlpList(
  bytes: Uint8Array,
  list: RlpItem,
  what: string,
  most = Number.POSITIVE_INFINITY,
): RlpItem[] {
  if (!list.isList) throw new RlpError(`has bytes where ${what} should be`)
  const items: RlpItem[] = []
  for (let start = list.content; start < list.end; ) {
    if (items.length === most) throw new RlpError(`has more than ${most} items in ${what}`)
    const item = readRlpItem(bytes, start, list.end)
    items.push(item)
    start = item.end
  }
  return items
}

/** Most lists inside one another; transactions have four. */
const MAX_DEPTH = 16

/**
 * Decodes an item of any depth. Strings are views of `bytes`.
 *
 * @throws {RlpError} if `bytes` is not one item of valid RLP, or has more than 16 lists inside one
 * another
 */
export function decodeRlp(bytes: Uint8Array): RlpInput {
  const item = readRlpItem(bytes, 0, bytes.length)
  if (item.end < bytes.length) throw new RlpError('is not valid RLP: bytes follow its end')
  return decoded(bytes, item, MAX_DEPTH)
}

function decoded(bytes: Uint8Array, item: RlpItem, depth: number): RlpInput {
  if (!item.isList) return bytes.subarray(item.content, item.end)
  if (depth === 0) throw new RlpError('has too many lists inside one another')
  return readRlpList(bytes, item, 'a list').map((part) => decoded(bytes, part, depth - 1))
}

/** Reads the fields of a list one after the other. */
export class RlpFields {
  readonly #bytes: Uint8Array
  readonly #items: readonly RlpItem[]
  #next = 0

  constructor(bytes: Uint8Array, items: readonly RlpItem[]) {
    this.#bytes = bytes
    this.#items = items
  }

  get count(): number {
    return this.#items.length
  }

  /**
   * The next field as a view of the bytes around it.
   *
   * @param length - exact number of bytes; default: any number
   * @throws {RlpError} if there is none, or it is a list or of another length
   */
  bytes(name: string, length?: number): Uint8Array {
    const item = this.#items[this.#next++]
    if (item === undefined || item.isList) throw new RlpError(`has a list as its ${name}`)
    const { content, end } = item
    const bytes = end === content ? EMPTY_BYTES : this.#bytes.subarray(content, end)
    if (length !== undefined && bytes.length !== length) {
      throw new RlpError(`has ${bytes.length} bytes of ${name}, expected ${length}`)
    }
    return bytes
  }

  /** The next field, an integer, as its bytes. @param length - maximum number of bytes */
  integer(name: string, length: number): Uint8Array {
    const bytes = this.bytes(name)
    if (bytes.length > length) {
      throw new RlpError(`has ${bytes.length} bytes of ${name}, expected ${length} at most`)
    }
    if (bytes[0] === 0) throw new RlpError(`has a ${name} with zeros in front`)
    return bytes
  }

  /** The next field as a number. @param length - maximum number of bytes */
  number(name: string, length = 8): bigint {
    return bytesToBigInt(this.integer(name, length))
  }

  /** The items of the next field, a list. @throws {RlpError} if it is not one */
  list(name: string): RlpItem[] {
    const item = this.#items[this.#next++]
    if (item === undefined) throw new RlpError(`has no ${name}`)
    return readRlpList(this.#bytes, item, name)
  }
}

function byteAt(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0
}
