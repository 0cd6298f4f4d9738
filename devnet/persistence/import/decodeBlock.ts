import { toHex } from '../../primitives/hex.ts'
import {
  RlpError,
  RlpFields,
  type RlpItem,
  readRlpItem,
  readRlpList,
} from '../../primitives/rlpReader.ts'
import type { BlockBody, Uncle } from '../../protocol/block.ts'
import type { BlockHeader } from '../../protocol/header.ts'
import { HEADER_FIELD_COUNTS, headerOf } from '../../protocol/headerFields.ts'
import type { Withdrawal } from '../../protocol/withdrawals.ts'
import type { Keccak256 } from '../../state/types.ts'

export interface DecodedBlock extends BlockBody {
  readonly header: BlockHeader
  readonly hash: Uint8Array
  /** EIP-2718 bytes. */
  readonly transactions: readonly Uint8Array[]
  /** True if there is a list of withdrawals, as in every block since Shanghai. */
  readonly hasWithdrawals: boolean
  /** Length of its RLP in bytes. */
  readonly size: number
}

/**
 * Decodes a block. The result holds no references to `bytes`.
 *
 * @throws {RlpError} if it is malformed; the message completes "the block …"
 */
export function decodeBlock(bytes: Uint8Array, keccak256: Keccak256): DecodedBlock {
  const parts = readRlpList(bytes, readRlpItem(bytes, 0, bytes.length), 'the block')
  const [header, transactions, uncles, withdrawals] = parts
  if (header === undefined || transactions === undefined || uncles === undefined) {
    throw new RlpError('has no header, no transactions, or no uncles')
  }
  if (parts.length > 4) throw new RlpError('has more parts than a block has')
  // A header has only one valid encoding, so the hash of these bytes is its hash.
  const listed = (list: RlpItem, what: string) => readRlpList(bytes, list, `the list of ${what}`)
  const hashOf = (item: RlpItem) => keccak256(bytes.subarray(item.start, item.end))
  return {
    header: decodeHeader(bytes, header),
    hash: hashOf(header),
    transactions: listed(transactions, 'transactions').map(({ isList, start, content, end }) =>
      bytes.slice(isList ? start : content, end),
    ),
    uncles: listed(uncles, 'uncles').map(
      (item): Uncle => ({ header: decodeHeader(bytes, item), hash: toHex(hashOf(item)) }),
    ),
    size: bytes.length,
    hasWithdrawals: withdrawals !== undefined,
    withdrawals: (withdrawals ? listed(withdrawals, 'withdrawals') : []).map((item) =>
      decodeWithdrawal(bytes, item),
    ),
  }
}

function decodeHeader(bytes: Uint8Array, item: RlpItem): BlockHeader {
  const fields = new RlpFields(bytes, readRlpList(bytes, item, 'a header'))
  const { count } = fields
  if (!HEADER_FIELD_COUNTS.includes(count)) {
    throw new RlpError(`has a header of ${count} fields, which no hardfork has`)
  }
  return headerOf(({ name, type, size }, index) => {
    if (index >= count) return undefined
    return type === 'bytes' ? fields.bytes(name, size).slice() : fields.number(name, size)
  })
}

function decodeWithdrawal(bytes: Uint8Array, item: RlpItem): Withdrawal {
  const fields = new RlpFields(bytes, readRlpList(bytes, item, 'a withdrawal'))
  if (fields.count !== 4) {
    throw new RlpError(`has a withdrawal of ${fields.count} fields, expected 4`)
  }
  return {
    index: fields.number('index'),
    validatorIndex: fields.number('validatorIndex'),
    address: toHex(fields.bytes('address', 20)),
    amount: fields.number('amount'),
  }
}
