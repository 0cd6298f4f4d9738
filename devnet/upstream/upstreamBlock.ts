import { bytesToBigInt, EMPTY_BYTES } from '../primitives/bytes.ts'
import { fromHex, isBytes, toHex } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import {
  type BlockHeader,
  EMPTY_BLOOM,
  EMPTY_NONCE,
  EMPTY_UNCLES_HASH,
} from '../protocol/header.ts'
import { headerOf } from '../protocol/headerFields.ts'
import { EMPTY_ROOT } from '../state/trie/persistentTrie.ts'
import type { UpstreamBlock } from './types.ts'

/** Stands for a field that some chains leave out, because it says nothing there. */
const FALLBACKS: Partial<Record<keyof BlockHeader, Uint8Array | bigint>> = {
  sha3Uncles: EMPTY_UNCLES_HASH,
  coinbase: new Uint8Array(20),
  stateRoot: new Uint8Array(32),
  transactionsRoot: EMPTY_ROOT,
  receiptsRoot: EMPTY_ROOT,
  logsBloom: EMPTY_BLOOM,
  difficulty: 0n,
  gasLimit: 0n,
  gasUsed: 0n,
  extraData: EMPTY_BYTES,
  mixHash: new Uint8Array(32),
  nonce: EMPTY_NONCE,
}

/**
 * Reads a block as upstreams answer it. Fields of a header that the chain leaves out get the value
 * of an empty block.
 *
 * @returns `undefined` for no block
 * @throws {Error} that says what is wrong with it
 */
export function readBlock(json: unknown): UpstreamBlock | undefined {
  if (json === null) return undefined
  if (!isObject(json)) throw new Error('a block that is no object')
  const { hash } = json
  if (!isBytes(hash, 32) || /^0x0*$/.test(hash)) throw new Error('a block without a hash')
  const header = readHeader(json)
  return { number: header.number, hash: toHex(fromHex(hash)), header, json }
}

/** The header of a block as {@link readBlock} reads it. @throws {Error} that says what is wrong */
export function readHeader(json: Readonly<Record<string, unknown>>): BlockHeader {
  const header = headerOf(({ key, name, type, size }) => {
    const value = json[name]
    if (value === undefined || value === null) return FALLBACKS[key]
    if (typeof value !== 'string' || !/^0x[0-9a-f]*$/i.test(value)) {
      throw new Error(`a block whose ${name} is no hexadecimal text`)
    }
    const digits = value.slice(2)
    const bytes = fromHex(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`)
    if (type === 'number') {
      const number = bytesToBigInt(bytes)
      if (size !== undefined && number >= 1n << BigInt(8 * size)) {
        throw new Error(`a block whose ${name} is too large`)
      }
      return number
    }
    if (size !== undefined && bytes.length !== size) {
      throw new Error(`a block whose ${name} has ${bytes.length} bytes, not ${size}`)
    }
    return bytes
  })
  for (const name of ['parentHash', 'number', 'timestamp'] as const) {
    // The type says that they are there; an upstream may leave them out.
    if (header[name] === undefined) throw new Error(`a block without ${name}`)
  }
  return header
}
