import {
  MAX_HEAD_LENGTH,
  RLP_LIST,
  RLP_STRING,
  rlpStringLength,
  writeRlpHead,
  writeRlpString,
} from '../../primitives/rlp.ts'
import type { Keccak256 } from '../types.ts'

/** Length of a hash. Nodes with shorter encodings are inlined in their parent. */
const HASH_LENGTH = 32

/**
 * Nodes are encoded into this array and hashed immediately, so that no garbage is made. It is long
 * enough for all but leaves with long values.
 */
const scratch = new Uint8Array(1024)
const scratchView = new DataView(scratch.buffer)

/** Length of a hash in the parent's encoding, with its RLP head. */
const HASH_REFERENCE = 1 + HASH_LENGTH

/**
 * The part of a node that its parent refers to: the hash or, if the encoding is shorter than 32
 * bytes, the encoding itself. The bytes are stored as eight numbers in the node. Hashing a branch
 * reads up to 16 children far apart in memory: text or arrays would make each of them two or three
 * objects. With numbers, computing a root is a quarter faster.
 */
abstract class Referenced {
  /** Length of the reference in the parent's encoding; 0 until the node is encoded. */
  referenceLength = 0
  #word0 = 0
  #word1 = 0
  #word2 = 0
  #word3 = 0
  #word4 = 0
  #word5 = 0
  #word6 = 0
  #word7 = 0

  /** Whether the reference is the encoding itself. */
  get isInline(): boolean {
    return this.referenceLength < HASH_REFERENCE
  }

  /** @param encoding - shorter than 32 bytes */
  setInline(encoding: Uint8Array): void {
    this.#setWords(encoding)
    this.referenceLength = encoding.length
  }

  setHash(hash: Uint8Array): void {
    this.#setWords(hash)
    this.referenceLength = HASH_REFERENCE
  }

  /**
   * Writes the reference; returns the offset after it.
   *
   * @param target - must have room for 33 bytes, even if the reference is shorter
   */
  writeReference(target: DataView, offset: number): number {
    if (this.isInline) {
      this.#writeWords(target, offset)
    } else {
      target.setUint8(offset, RLP_STRING + HASH_LENGTH)
      this.#writeWords(target, offset + 1)
    }
    return offset + this.referenceLength
  }

  /** The hash in a new array. */
  hashBytes(): Uint8Array {
    this.#writeWords(scratchView, 0)
    return scratch.slice(0, HASH_LENGTH)
  }

  #setWords(bytes: Uint8Array): void {
    this.#word0 = wordAt(bytes, 0)
    this.#word1 = wordAt(bytes, 4)
    this.#word2 = wordAt(bytes, 8)
    this.#word3 = wordAt(bytes, 12)
    this.#word4 = wordAt(bytes, 16)
    this.#word5 = wordAt(bytes, 20)
    this.#word6 = wordAt(bytes, 24)
    this.#word7 = wordAt(bytes, 28)
  }

  #writeWords(target: DataView, offset: number): void {
    target.setInt32(offset, this.#word0)
    target.setInt32(offset + 4, this.#word1)
    target.setInt32(offset + 8, this.#word2)
    target.setInt32(offset + 12, this.#word3)
    target.setInt32(offset + 16, this.#word4)
    target.setInt32(offset + 20, this.#word5)
    target.setInt32(offset + 24, this.#word6)
    target.setInt32(offset + 28, this.#word7)
  }
}

/** Four bytes as a signed number, which V8 stores inline. Bytes beyond the end are zero. */
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

/**
 * A node of a trie (yellow paper, appendix D). Immutable but for its reference, which is computed
 * when first needed. A node fits one depth only, because its encoding depends on the depth.
 */
export type Node<Value> = Leaf<Value> | Extension<Value> | Branch<Value>

/** 16 elements, by nibble. */
export type Children<Value> = readonly (Node<Value> | undefined)[]

/** The end of a path. Stores the whole key; the depth tells which part of it is left. */
export class Leaf<Value> extends Referenced {
  readonly key: string
  readonly value: Value

  constructor(key: string, value: Value) {
    super()
    this.key = key
    this.value = value
  }
}

/** A path that all keys below have in common. */
export class Extension<Value> extends Referenced {
  /** One character per nibble, with a char code of 0 to 15; never empty. */
  readonly path: string
  /** Never a leaf or another extension: their paths would be merged. */
  readonly child: Branch<Value>

  constructor(path: string, child: Branch<Value>) {
    super()
    this.path = path
    this.child = child
  }
}

/** A fork with at least two children. It has no value, because no key is a prefix of another. */
export class Branch<Value> extends Referenced {
  readonly children: Children<Value>

  constructor(children: Children<Value>) {
    super()
    this.children = children
  }
}

/** The nibble of `key` at `depth`, 0 to 15; NaN if the key is shorter. */
export function nibbleAt(key: string, depth: number): number {
  const byte = key.charCodeAt(depth >> 1)
  if (Number.isNaN(byte)) return byte
  return (depth & 1) === 0 ? byte >> 4 : byte & 15
}

/** Whether the nibbles of `key` from `depth` begin with `path`. */
export function startsWithPath(key: string, depth: number, path: string): boolean {
  for (let index = 0; index < path.length; index++) {
    if (nibbleAt(key, depth + index) !== path.charCodeAt(index)) return false
  }
  return true
}

/** How a trie handles its values. */
export interface TrieValues<Value> {
  readonly keccak256: Keccak256
  /** Encodes a value for its leaf. The result may be valid only until the next call. */
  encode(value: Value): Uint8Array
  /** Whether both values have the same encoding; `false` if unknown. */
  same(a: Value, b: Value): boolean
}

/** Flags of hex-prefix encoding (yellow paper, appendix C). */
const ODD = 0x10
const LEAF = 0x20

/**
 * Computes the reference to the node, unless it is known.
 *
 * @param depth - number of nibbles from the root to the node
 * @returns length of the reference in the parent's encoding
 */
export function refer<Value>(node: Node<Value>, depth: number, values: TrieValues<Value>): number {
  if (node.referenceLength === 0) {
    const encoding = encodeNodeInScratch(node, depth, values)
    if (encoding.length < HASH_LENGTH) node.setInline(encoding)
    else node.setHash(values.keccak256(encoding))
  }
  return node.referenceLength
}

/** The RLP of a node; valid until the next call. */
export function encodeNodeInScratch<Value>(
  node: Node<Value>,
  depth: number,
  values: TrieValues<Value>,
): Uint8Array {
  if (node instanceof Branch) return encodeBranch(node.children, depth, values)
  if (node instanceof Extension) return encodeExtension(node, depth, values)
  return encodeLeaf(node, depth, values)
}

function encodeBranch<Value>(
  children: Children<Value>,
  depth: number,
  values: TrieValues<Value>,
): Uint8Array {
  // 1 for the empty value. References come before any writing: computing them overwrites `scratch`.
  let length = 1
  for (let nibble = 0; nibble < 16; nibble++) {
    const child = children[nibble]
    length += child === undefined ? 1 : refer(child, depth + 1, values)
  }
  let end = writeRlpHead(scratch, 0, RLP_LIST, length)
  for (let nibble = 0; nibble < 16; nibble++) {
    const child = children[nibble]
    if (child === undefined) scratch[end++] = RLP_STRING
    else end = child.writeReference(scratchView, end)
  }
  scratch[end++] = RLP_STRING
  return scratch.subarray(0, end)
}

function encodeExtension<Value>(
  { path, child }: Extension<Value>,
  depth: number,
  values: TrieValues<Value>,
): Uint8Array {
  const pathLength = (path.length >> 1) + 1
  const length =
    (pathLength === 1 ? 0 : 1) + pathLength + refer<Value>(child, depth + path.length, values)
  let end = writeRlpHead(scratch, 0, RLP_LIST, length)
  if (pathLength > 1) end = writeRlpHead(scratch, end, RLP_STRING, pathLength)
  let index = path.length & 1
  scratch[end++] = index === 1 ? ODD | path.charCodeAt(0) : 0
  for (; index < path.length; index += 2) {
    scratch[end++] = (path.charCodeAt(index) << 4) | path.charCodeAt(index + 1)
  }
  return scratch.subarray(0, child.writeReference(scratchView, end))
}

function encodeLeaf<Value>(
  { key, value }: Leaf<Value>,
  depth: number,
  values: TrieValues<Value>,
): Uint8Array {
  const bytes = values.encode(value)
  // Keys are whole bytes, so the rest after an odd nibble is copied byte by byte.
  const isOdd = (depth & 1) === 1
  const firstByte = (depth + 1) >> 1
  const pathLength = 1 + key.length - firstByte
  const length = (pathLength === 1 ? 0 : 1) + pathLength + rlpStringLength(bytes)
  const needed = length + MAX_HEAD_LENGTH
  const target = needed <= scratch.length ? scratch : new Uint8Array(needed)
  let end = writeRlpHead(target, 0, RLP_LIST, length)
  if (pathLength > 1) end = writeRlpHead(target, end, RLP_STRING, pathLength)
  target[end++] = isOdd ? LEAF | ODD | nibbleAt(key, depth) : LEAF
  for (let index = firstByte; index < key.length; index++) target[end++] = key.charCodeAt(index)
  return target.subarray(0, writeRlpString(target, end, bytes))
}
