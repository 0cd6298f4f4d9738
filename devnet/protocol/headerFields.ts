import type { BlockHeader } from './header.ts'

/** A field of a header. */
interface HeaderField {
  readonly key: keyof BlockHeader
  /** Its name in JSON. */
  readonly name: string
  readonly type: 'bytes' | 'number'
  /** Length in bytes, of a number the longest; `undefined` for any. */
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
]

/** How many fields the header of a hardfork can have: the later ones came with hardforks. */
export const HEADER_FIELD_COUNTS: readonly [number, ...number[]] = [15, 16, 17, 20, 21]

function bytes(key: keyof BlockHeader, size: number | undefined): HeaderField {
  return { key, name: key, type: 'bytes', size }
}

function number(key: keyof BlockHeader, size: number): HeaderField {
  return { key, name: key, type: 'number', size }
}

/**
 * A header of the fields that `read` answers.
 *
 * @param read - the value of a field in the type that it says; `undefined` if it is absent
 */
export function headerOf(
  read: (field: HeaderField, index: number) => bigint | Uint8Array | undefined,
): BlockHeader {
  const header: { -readonly [Name in keyof BlockHeader]?: bigint | Uint8Array } = {}
  for (const [index, field] of HEADER_FIELDS.entries()) {
    const value = read(field, index)
    if (value !== undefined) header[field.key] = value
  }
  // The table has every field, each with its type.
  return header as BlockHeader
}
