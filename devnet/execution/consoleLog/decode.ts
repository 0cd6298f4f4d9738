import { bytesToBigInt, toHex } from '../../chain/bytes.ts'
import type { ConsoleType } from './signatures.ts'

const WORD = 32

/** Readers of the types that stand in their word, by name; `bytesN` has its own. */
const STATIC: Readonly<Partial<Record<ConsoleType, (word: Uint8Array) => string>>> = {
  uint256: (word) => bytesToBigInt(word).toString(),
  int256: (word) => BigInt.asIntN(256, bytesToBigInt(word)).toString(),
  bool: (word) => String(word[31] !== 0),
  address: (word) => toHex(word.subarray(12)),
}

/**
 * The arguments of a call of console.log, as text. Whatever stands there, something is answered: what is missing counts
 * as zero, and text that is no UTF-8 gets replacement characters.
 *
 * @param body - calldata behind the selector
 */
export function decodeArguments(body: Uint8Array, types: readonly ConsoleType[]): string[] {
  return types.map((type, index) => {
    const word = wordAt(body, index * WORD)
    const read = STATIC[type]
    if (read !== undefined) return read(word)
    if (type === 'string') return Buffer.from(tailOf(body, word)).toString('utf8')
    if (type === 'bytes') return toHex(tailOf(body, word))
    return toHex(word.subarray(0, Number(type.slice('bytes'.length))))
  })
}

/** The bytes that the word `offset` points at, as far as there are any. */
function tailOf(body: Uint8Array, offset: Uint8Array): Uint8Array {
  const start = position(offset, body)
  const length = position(wordAt(body, start), body)
  return body.subarray(start + WORD, start + WORD + length)
}

/** A number of bytes; one that is larger than `body` could as well be its length. */
function position(word: Uint8Array, { length }: Uint8Array): number {
  const value = bytesToBigInt(word)
  return value < BigInt(length) ? Number(value) : length
}

function wordAt(body: Uint8Array, start: number): Uint8Array {
  const word = new Uint8Array(WORD)
  word.set(body.subarray(start, start + WORD))
  return word
}
