import type { Crypto } from '../../engine/crypto.ts'
import { ChainFileError } from '../../errors.ts'
import type { Hex } from '../../types.ts'
import { toHex } from '../bytes.ts'
import { type BlockHeader, hashHeader } from '../header.ts'
import type { JsonFields } from '../import/jsonFields.ts'
import { headerFromJson } from './headerJson.ts'

/** An entry of `blocks` of which the header was read. */
export interface BlockEntry {
  readonly json: JsonFields
  readonly header: BlockHeader
  readonly hashBytes: Uint8Array
  readonly hash: Hex
}

/** The blocks of a dump, in its order. @throws {ChainFileError} where a header is malformed */
export function readBlockEntries(fields: JsonFields, { keccak256 }: Crypto): BlockEntry[] {
  return fields.objects('blocks').map((json) => {
    const header = headerFromJson(json.requiredObject('header'))
    const hashBytes = hashHeader(header, keccak256)
    return { json, header, hashBytes, hash: toHex(hashBytes) }
  })
}

/**
 * Holds headers against each other: each hashes the one before.
 *
 * @param head - hash of the newest, which nothing else hashes
 * @throws {ChainFileError} where there are none, or one was changed
 */
export function checkHeaders(label: string, entries: readonly BlockEntry[], head: Hex): void {
  for (const [index, { header, hash }] of entries.entries()) {
    const next = entries[index + 1]
    if (next !== undefined && next.header.number !== header.number + 1n) {
      throw new ChainFileError(
        `${label}: block ${next.header.number} follows on block ${header.number}.`,
      )
    }
    const expected = next === undefined ? head : toHex(next.header.parentHash)
    if (hash === expected) continue
    throw new ChainFileError(
      `${label}: block ${header.number} has the hash ${hash}, expected ${expected}: its header was changed.`,
    )
  }
  if (entries.length === 0) throw new ChainFileError(`${label} has no blocks.`)
}
