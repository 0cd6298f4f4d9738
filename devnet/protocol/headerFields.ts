import type { BlockHeader } from './header.ts'

interface HeaderField {
  readonly key: keyof BlockHeader
  /** The field's name in JSON. */
  readonly name: string
  readonly type: 'bytes' | 'number'
  /** Length in bytes; for a number, the greatest length. `undefined`: any length. */
  readonly size: number | undefined
}

/** The fields of a header in the order in which they are encoded. */
export const HEADER_FIELDS: readonly HeaderField[] = [
  bytes('parentHash', 32),
  bytes('sha3Uncles', 32),
  { ...bytes('coinbase', 20), name: 'miner' },
  bytes('stateRoot', 32),
  bytes('transactionsRoot', 32),
  bytes('receiptsRoot', 32),
  bytes('logsBloom', 256),
  number('difficulty', 32),
  number('number', 8),
  number('gasLimit', 8),
  number('gasUsed', 8),
  number('timestamp', 8),
  bytes('extraData', undefined),
  bytes('mixHash', 32),
  bytes('nonce', 8),
  number('baseFeePerGas', 32),
  bytes('withdrawalsRoot', 32),
  number('blobGasUsed', 8),
  number('excessBlobGas', 8),
  bytes('parentBeaconBlockRoot', 32),
  bytes('requestsHash', 32),
  bytes('blockAccessListHash', 32),
  number('slotNumber', 8),
]

/** Possible numbers of fields in a header: hardforks added those after the first 15. */
export const HEADER_FIELD_COUNTS: readonly [number, ...number[]] = [15, 16, 17, 20, 21, 23]

function bytes(key: keyof BlockHeader, size: number | undefined): HeaderField {
  return { key, name: key, type: 'bytes', size }
}

function number(key: keyof BlockHeader, size: number): HeaderField {
  return { key, name: key, type: 'number', size }
}

/**
 * Builds a header from the fields that `read` returns.
 *
 * @param read - returns the value of a field, a bigint for `number`; `undefined` if it is absent
 */
export function headerOf(
  read: (field: HeaderField, index: number) => bigint | Uint8Array | undefined,
): BlockHeader {
  const header: { -readonly [Name in keyof BlockHeader]?: bigint | Uint8Array } = {}
  for (const [index, field] of HEADER_FIELDS.entries()) {
    const value = read(field, index)
    if (value !== undefined) header[field.key] = value
  }
  // Safe, as `HEADER_FIELDS` has every field of a header with its type.
  return header as BlockHeader
}
