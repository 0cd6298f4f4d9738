import { bytesToBigInt } from '../../primitives/bytes.ts'
import { toHex } from '../../primitives/hex.ts'
import { RLP_LIST, RLP_STRING } from '../../primitives/rlp.ts'
import type { BlockBody, Uncle } from '../../protocol/block.ts'
import type { BlockHeader } from '../../protocol/header.ts'
import { HEADER_FIELD_COUNTS, headerOf } from '../../protocol/headerFields.ts'
import type { Withdrawal } from '../../protocol/withdrawals.ts'
import type { Keccak256 } from '../../state/types.ts'

/** The bytes are not a block. The message completes a sentence that begins "the block there". */
export class BlockFormatError extends Error {
  override name = 'BlockFormatError'
}

/** A block that was decoded but not verified. */
export interface DecodedBlock extends BlockBody {
  readonly header: BlockHeader
  /** Hash of the header, and so of the block. */
  readonly hash: Uint8Array
  /** EIP-2718 bytes. */
  readonly transactions: readonly Uint8Array[]
  /** Whether there is a list of withdrawals, as in every block since Shanghai. */
  readonly hasWithdrawals: boolean
  /** Length of its RLP in bytes. */
  readonly size: number
}

/**
 * Decodes a block. The result holds no references to `bytes`.
 *
 * @throws {BlockFormatError} if it is malformed
 */
export function decodeBlock(bytes: Uint8Array, keccak256: Keccak256): DecodedBlock {
  const parts = readList(bytes, readItem(bytes, 0, bytes.length), 'the block')
  const [header, transactions, uncles, withdrawals] = parts
  if (header === undefined || transactions === undefined || uncles === undefined) {
    throw new BlockFormatError('has no header, no transactions, or no uncles')
  }
  if (parts.length > 4) throw new BlockFormatError('has more parts than a block has')
  // A header has only one valid encoding, so the hash of these bytes is its hash.
  const hashOf = (item: RlpItem) => keccak256(bytes.subarray(item.start, item.end))
  return {
    header: decodeHeader(bytes, header),
    hash: hashOf(header),
    transactions: readList(bytes, transactions, 'the list of transactions').map(
      ({ isList, start, content, end }) => bytes.slice(isList ? start : content, end),
    ),
    uncles: readList(bytes, uncles, 'the list of uncles').map(
      (item): Uncle => ({ header: decodeHeader(bytes, item), hash: toHex(hashOf(item)) }),
    ),
    size: bytes.length,
    hasWithdrawals: withdrawals !== undefined,
    withdrawals:
      withdrawals === undefined
        ? []
        : readList(bytes, withdrawals, 'the list of withdrawals').map((item) =>
            decodeWithdrawal(bytes, item),
          ),
  }
}

function decodeHeader(bytes: Uint8Array, item: RlpItem): BlockHeader {
  const fields = new Fields(bytes, readList(bytes, item, 'a header'))
  const { count } = fields
  if (!HEADER_FIELD_COUNTS.includes(count)) {
    throw new BlockFormatError(`has a header of ${count} fields, which no hardfork has`)
  }
  return headerOf(({ name, type, size }, index) => {
    if (index >= count) return undefined
    return type === 'bytes' ? fields.bytes(name, size) : fields.number(name, size)
  })
}

function decodeWithdrawal(bytes: Uint8Array, item: RlpItem): Withdrawal {
  const fields = new Fields(bytes, readList(bytes, item, 'a withdrawal'))
  if (fields.count !== 4) {
    throw new BlockFormatError(`has a withdrawal of ${fields.count} fields, expected 4`)
  }
  return {
    index: fields.number('index'),
    validatorIndex: fields.number('validatorIndex'),
    address: toHex(fields.bytes('address', 20)),
    amount: fields.number('amount'),
  }
}

/** Reads the fields of a list one after the other. */
class Fields {
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

  /** @param length - exact number of bytes; default: any number */
  bytes(name: string, length?: number): Uint8Array {
    const item = this.#items[this.#next++]
    if (item === undefined || item.isList) throw new BlockFormatError(`has a list as its ${name}`)
    const bytes = this.#bytes.slice(item.content, item.end)
    if (length !== undefined && bytes.length !== length) {
      throw new BlockFormatError(`has ${bytes.length} bytes of ${name}, expected ${length}`)
    }
    return bytes
  }

  /** @param length - maximum number of bytes */
  number(name: string, length = 8): bigint {
    const bytes = this.bytes(name)
    if (bytes.length > length) {
      throw new BlockFormatError(`has ${bytes.length} bytes of ${name}, expected ${length} at most`)
    }
    if (bytes[0] === 0) throw new BlockFormatError(`has a ${name} with zeros in front`)
    return bytesToBigInt(bytes)
  }
}

/** Position of an RLP item in the bytes around it. */
interface RlpItem {
  readonly isList: boolean
  /** Start of its prefix, start of its content, and end of both. */
  readonly start: number
  readonly content: number
  readonly end: number
}

/** Smallest prefixes of a long string and a long list; the length follows in bytes of its own. */
const LONG_STRING = 0xb8
const LONG_LIST = 0xf8

/** Longest content, in bytes, whose length fits in the first byte. */
const SHORT = 55

/**
 * Reads the item at `start`. Only its shortest encoding is valid, because the encoding is hashed.
 *
 * @param limit - end of the list around it, or of `bytes`
 * @throws {BlockFormatError} if it is not valid RLP
 */
function readItem(bytes: Uint8Array, start: number, limit: number): RlpItem {
  const first = start < limit ? byteAt(bytes, start) : -1
  if (first < 0) throw new BlockFormatError('is not valid RLP: it ends too early')
  if (first < RLP_STRING) return { isList: false, start, content: start, end: start + 1 }
  const isList = first >= RLP_LIST
  const longFrom = isList ? LONG_LIST : LONG_STRING
  const shortFrom = isList ? RLP_LIST : RLP_STRING
  const digits = first < longFrom ? 0 : first - longFrom + 1
  const content = start + 1 + digits
  let length = digits === 0 ? first - shortFrom : 0
  if (content > limit) throw new BlockFormatError('is not valid RLP: it ends too early')
  for (let index = start + 1; index < content; index++) length = length * 256 + byteAt(bytes, index)
  const end = content + length
  if (end > limit) throw new BlockFormatError('is not valid RLP: a part reaches over its end')
  const isShorter = digits > 0 && (length <= SHORT || byteAt(bytes, start + 1) === 0)
  const isOwnByte = !isList && length === 1 && byteAt(bytes, content) < RLP_STRING
  if (isShorter || isOwnByte) {
    throw new BlockFormatError('is not valid RLP: a part is encoded longer than it needs')
  }
  return { isList, start, content, end }
}

/** The items of a list. @throws {BlockFormatError} if `list` is not one, or an item is malformed */
function readList(bytes: Uint8Array, list: RlpItem, what: string): RlpItem[] {
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
