import type { Keccak256 } from '../../state/types.ts'
import type { BlockBody, Uncle } from '../block.ts'
import { bytesToBigInt, toHex } from '../bytes.ts'
import type { BlockHeader } from '../header.ts'
import type { Withdrawal } from '../withdrawals.ts'
import { BlockFormatError } from './blockFormatError.ts'
import { type RlpItem, readItem, readList } from './rlpItems.ts'

/** A block as it is encoded, before it was looked at. */
export interface DecodedBlock extends BlockBody {
  readonly header: BlockHeader
  /** Of the block: of its header. */
  readonly hash: Uint8Array
  /** EIP-2718 bytes. */
  readonly transactions: readonly Uint8Array[]
  /** Whether there is a list of withdrawals, as since Shanghai. */
  readonly hasWithdrawals: boolean
  /** Bytes of its RLP. */
  readonly size: number
}

/**
 * Reads a block; nothing of what comes out refers to `bytes`.
 *
 * @throws {BlockFormatError}
 */
export function decodeBlock(bytes: Uint8Array, keccak256: Keccak256): DecodedBlock {
  const parts = readList(bytes, readItem(bytes, 0, bytes.length), 'the block')
  const [header, transactions, uncles, withdrawals] = parts
  if (header === undefined || transactions === undefined || uncles === undefined) {
    throw new BlockFormatError('has no header, no transactions, or no uncles')
  }
  if (parts.length > 4) throw new BlockFormatError('has more parts than a block has')
  // The encoding is the only one there is of the header, so its hash is that of the block.
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

/** Fields that came with hardforks: those of one hardfork come together. */
const FIELD_COUNTS = [15, 16, 17, 20, 21]

function decodeHeader(bytes: Uint8Array, item: RlpItem): BlockHeader {
  const fields = new Fields(bytes, readList(bytes, item, 'a header'))
  if (!FIELD_COUNTS.includes(fields.count)) {
    throw new BlockFormatError(`has a header of ${fields.count} fields, which no hardfork has`)
  }
  return {
    parentHash: fields.bytes('parentHash', 32),
    sha3Uncles: fields.bytes('sha3Uncles', 32),
    coinbase: fields.bytes('miner', 20),
    stateRoot: fields.bytes('stateRoot', 32),
    transactionsRoot: fields.bytes('transactionsRoot', 32),
    receiptsRoot: fields.bytes('receiptsRoot', 32),
    logsBloom: fields.bytes('logsBloom', 256),
    difficulty: fields.number('difficulty', 32),
    number: fields.number('number', 8),
    gasLimit: fields.number('gasLimit', 8),
    gasUsed: fields.number('gasUsed', 8),
    timestamp: fields.number('timestamp', 8),
    extraData: fields.bytes('extraData'),
    mixHash: fields.bytes('mixHash', 32),
    nonce: fields.bytes('nonce', 8),
    ...(fields.count >= 16 ? { baseFeePerGas: fields.number('baseFeePerGas', 32) } : {}),
    ...(fields.count >= 17 ? { withdrawalsRoot: fields.bytes('withdrawalsRoot', 32) } : {}),
    ...(fields.count >= 20
      ? {
          blobGasUsed: fields.number('blobGasUsed', 8),
          excessBlobGas: fields.number('excessBlobGas', 8),
          parentBeaconBlockRoot: fields.bytes('parentBeaconBlockRoot', 32),
        }
      : {}),
    ...(fields.count >= 21 ? { requestsHash: fields.bytes('requestsHash', 32) } : {}),
  }
}

function decodeWithdrawal(bytes: Uint8Array, item: RlpItem): Withdrawal {
  const fields = new Fields(bytes, readList(bytes, item, 'a withdrawal'))
  if (fields.count !== 4) {
    throw new BlockFormatError(`has a withdrawal of ${fields.count} fields, expected 4`)
  }
  return {
    index: fields.number('index', 8),
    validatorIndex: fields.number('validatorIndex', 8),
    address: toHex(fields.bytes('address', 20)),
    amount: fields.number('amount', 8),
  }
}

/** Takes the fields of a list one after the other. */
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

  /** @param length - default: any */
  bytes(name: string, length?: number): Uint8Array {
    const item = this.#items[this.#next++]
    if (item === undefined || item.isList) throw new BlockFormatError(`has a list as its ${name}`)
    const bytes = this.#bytes.slice(item.content, item.end)
    if (length !== undefined && bytes.length !== length) {
      throw new BlockFormatError(`has ${bytes.length} bytes of ${name}, expected ${length}`)
    }
    return bytes
  }

  /** @param length - most bytes */
  number(name: string, length: number): bigint {
    const bytes = this.bytes(name)
    if (bytes.length > length) {
      throw new BlockFormatError(`has ${bytes.length} bytes of ${name}, expected ${length} at most`)
    }
    if (bytes[0] === 0) throw new BlockFormatError(`has a ${name} with zeros in front`)
    return bytesToBigInt(bytes)
  }
}
