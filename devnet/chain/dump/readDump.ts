import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ChainFileError } from '../../errors.ts'
import { JsonFields } from '../import/jsonFields.ts'
import { FORMAT } from './format.ts'

/** A dump before it was looked into. */
export interface Dump {
  /** What it is called in errors: a file, or "the state". */
  readonly label: string
  readonly fields: JsonFields
  /** What only this node writes; `undefined` in a dump of anvil. */
  readonly own: JsonFields | undefined
}

/** The first bytes of gzip. */
const GZIP = [0x1f, 0x8b]

/** Longest text that V8 can hold, in bytes: more cannot be read, packed or not. */
const LONGEST = 536_870_888

/**
 * Reads a dump of this node or of anvil, packed or plain.
 *
 * @param label - what errors call it
 * @throws {ChainFileError} where it is neither
 */
export async function readDump(bytes: Uint8Array, label: string): Promise<Dump> {
  const plain = GZIP.every((byte, index) => bytes[index] === byte)
    ? await unpack(bytes, label)
    : bytes
  if (plain.length > LONGEST) {
    throw new ChainFileError(`${label} has ${plain.length} bytes, more than can be read.`)
  }
  const fields = JsonFields.parse(label, new TextDecoder().decode(plain))
  const own = fields.object('pending_node')
  if (own === undefined && !fields.has('accounts')) {
    throw new ChainFileError(`${label} is no state of this node or of anvil: it has no accounts.`)
  }
  const format = own?.requiredNumber('format')
  if (format !== undefined && format !== BigInt(FORMAT)) {
    throw new ChainFileError(
      `${label} has format ${format}, and this version reads format ${FORMAT}: use the version that wrote it.`,
    )
  }
  return { label, fields, own }
}

async function unpack(bytes: Uint8Array, label: string): Promise<Uint8Array> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: LONGEST })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ChainFileError(`${label} cannot be unpacked: ${reason}.`, { cause: error })
  }
}
