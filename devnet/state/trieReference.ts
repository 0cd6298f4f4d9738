import { bytesToText, writeText } from './latin1.ts'
import { RLP_STRING } from './rlpWriter.ts'

const HASH_LENGTH = 32

/** Bytes that a hash takes in the parent's encoding. */
const HASH_REFERENCE = 1 + HASH_LENGTH

/**
 * What the parent of a node holds of it: the hash or, where the encoding is below 32 bytes, the encoding itself. The
 * hash stands as eight numbers in the node: hashing a branch looks at 16 children far apart in memory, and that each is
 * one object to go to, not two or three, makes roots a quarter faster than with text or arrays.
 */
export abstract class Referenced {
  /** Bytes that the reference takes in the parent's encoding; 0 while the node is not encoded yet. */
  referenceLength = 0
  #inline: string | undefined = undefined
  #word0 = 0
  #word1 = 0
  #word2 = 0
  #word3 = 0
  #word4 = 0
  #word5 = 0
  #word6 = 0
  #word7 = 0

  /** Whether the encoding stands in the parent, and not by itself. */
  get isInline(): boolean {
    return this.#inline !== undefined
  }

  /** Makes `encoding` the reference. @param encoding - below 32 bytes */
  setInline(encoding: Uint8Array): void {
    this.#inline = bytesToText(encoding)
    this.referenceLength = encoding.length
  }

  setHash(hash: Uint8Array): void {
    this.#word0 = wordAt(hash, 0)
    this.#word1 = wordAt(hash, 4)
    this.#word2 = wordAt(hash, 8)
    this.#word3 = wordAt(hash, 12)
    this.#word4 = wordAt(hash, 16)
    this.#word5 = wordAt(hash, 20)
    this.#word6 = wordAt(hash, 24)
    this.#word7 = wordAt(hash, 28)
    this.referenceLength = HASH_REFERENCE
  }

  /** Writes the reference; answers the offset after it. */
  writeReference(target: Uint8Array, view: DataView, offset: number): number {
    if (this.#inline !== undefined) return writeText(target, this.#inline, offset)
    target[offset] = RLP_STRING + HASH_LENGTH
    this.#writeHash(view, offset + 1)
    return offset + HASH_REFERENCE
  }

  /** The hash as 32 bytes, a new array each time. */
  hashBytes(): Uint8Array {
    const bytes = new Uint8Array(HASH_LENGTH)
    this.#writeHash(new DataView(bytes.buffer), 0)
    return bytes
  }

  #writeHash(view: DataView, offset: number): void {
    view.setInt32(offset, this.#word0)
    view.setInt32(offset + 4, this.#word1)
    view.setInt32(offset + 8, this.#word2)
    view.setInt32(offset + 12, this.#word3)
    view.setInt32(offset + 16, this.#word4)
    view.setInt32(offset + 20, this.#word5)
    view.setInt32(offset + 24, this.#word6)
    view.setInt32(offset + 28, this.#word7)
  }
}

/** Four bytes as one signed number, which the engine keeps in the object without another one. */
function wordAt(bytes: Uint8Array, offset: number): number {
  return (
    (byteAt(bytes, offset) << 24) |
    (byteAt(bytes, offset + 1) << 16) |
    (byteAt(bytes, offset + 2) << 8) |
    byteAt(bytes, offset + 3)
  )
}

function byteAt(bytes: Uint8Array, offset: number): number {
  return bytes[offset] ?? 0
}
