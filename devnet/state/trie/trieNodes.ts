import {
  MAX_HEAD_LENGTH,
  RLP_LIST,
  RLP_STRING,
  rlpListLength,
  writeRlpHead,
} from '../../primitives/rlp.ts'
import type { HashBuffer, Keccak256 } from '../types.ts'

/** Length of a hash. Nodes with shorter encodings are inlined in their parent. */
const HASH_LENGTH = 32

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

  /** True if the reference is the encoding itself. */
  get isInline(): boolean {
    return this.referenceLength < HASH_REFERENCE
  }

  /** @param encoding - begins with the encoding, and has at least 32 bytes */
  setInline(encoding: DataView, length: number): void {
    this.#setWords(encoding)
    this.referenceLength = length
  }

  setHash(hash: DataView): void {
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

  hashBytes(): Uint8Array {
    const bytes = new Uint8Array(HASH_LENGTH)
    this.#writeWords(new DataView(bytes.buffer), 0)
    return bytes
  }

  /** As signed numbers, which V8 stores inline. */
  #setWords(bytes: DataView): void {
    this.#word0 = bytes.getInt32(0)
    this.#word1 = bytes.getInt32(4)
    this.#word2 = bytes.getInt32(8)
    this.#word3 = bytes.getInt32(12)
    this.#word4 = bytes.getInt32(16)
    this.#word5 = bytes.getInt32(20)
    this.#word6 = bytes.getInt32(24)
    this.#word7 = bytes.getInt32(28)
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

/** True if the nibbles of `key` from `depth` begin with `path`. */
export function startsWithPath(key: string, depth: number, path: string): boolean {
  for (let index = 0; index < path.length; index++) {
    if (nibbleAt(key, depth + index) !== path.charCodeAt(index)) return false
  }
  return true
}

export interface TrieValues<Value> {
  /** Length of a value's encoding in its leaf. Called before {@link write}, and may hash. */
  length(value: Value): number
  /** Writes the encoding, without hashing; returns the offset after it. */
  write(value: Value, target: Uint8Array, offset: number): number
  /** True if both values have the same encoding; `false` if unknown. */
  same(a: Value, b: Value): boolean
}

/** Encoding and hashing of a trie's nodes. */
export interface TrieCodec<Value> extends TrieValues<Value> {
  readonly keccak256: Keccak256
  /** Nodes are encoded in its input, so that no garbage is made. */
  readonly buffer: HashBuffer
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
export function refer<Value>(node: Node<Value>, depth: number, codec: TrieCodec<Value>): number {
  if (node.referenceLength === 0) {
    const { buffer } = codec
    const length = encodeNode(node, depth, codec)
    if (typeof length !== 'number') node.setHash(viewOf(codec.keccak256(length)))
    else if (length < HASH_LENGTH) node.setInline(buffer.inputView, length)
    else node.setHash(buffer.hash(length))
  }
  return node.referenceLength
}

/** The RLP of a node in a new array. */
export function nodeBytes<Value>(
  node: Node<Value>,
  depth: number,
  codec: TrieCodec<Value>,
): Uint8Array {
  const length = encodeNode(node, depth, codec)
  return typeof length === 'number' ? codec.buffer.input.slice(0, length) : length
}

function viewOf({ buffer, byteOffset }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset)
}

/** Encodes a node at the start of the input; returns the length, or a leaf that does not fit. */
function encodeNode<Value>(
  node: Node<Value>,
  depth: number,
  codec: TrieCodec<Value>,
): number | Uint8Array {
  if (node instanceof Branch) return encodeBranch(node.children, depth, codec)
  if (node instanceof Extension) return encodeExtension(node, depth, codec)
  return encodeLeaf(node, depth, codec)
}

function encodeBranch<Value>(
  children: Children<Value>,
  depth: number,
  codec: TrieCodec<Value>,
): number {
  const { input, inputView } = codec.buffer
  // 1 for the empty value. References come before any writing: computing them overwrites the input.
  let length = 1
  for (let nibble = 0; nibble < 16; nibble++) {
    const child = children[nibble]
    length += child === undefined ? 1 : refer(child, depth + 1, codec)
  }
  let end = writeRlpHead(input, 0, RLP_LIST, length)
  for (let nibble = 0; nibble < 16; nibble++) {
    const child = children[nibble]
    if (child === undefined) input[end++] = RLP_STRING
    else end = child.writeReference(inputView, end)
  }
  input[end++] = RLP_STRING
  return end
}

function encodeExtension<Value>(
  { path, child }: Extension<Value>,
  depth: number,
  codec: TrieCodec<Value>,
): number {
  const { input, inputView } = codec.buffer
  const pathLength = (path.length >> 1) + 1
  const length =
    (pathLength === 1 ? 0 : 1) + pathLength + refer<Value>(child, depth + path.length, codec)
  let end = writeRlpHead(input, 0, RLP_LIST, length)
  if (pathLength > 1) end = writeRlpHead(input, end, RLP_STRING, pathLength)
  let index = path.length & 1
  input[end++] = index === 1 ? ODD | path.charCodeAt(0) : 0
  for (; index < path.length; index += 2) {
    input[end++] = (path.charCodeAt(index) << 4) | path.charCodeAt(index + 1)
  }
  return child.writeReference(inputView, end)
}

function encodeLeaf<Value>(
  { key, value }: Leaf<Value>,
  depth: number,
  codec: TrieCodec<Value>,
): number | Uint8Array {
  const { input } = codec.buffer
  const valueLength = codec.length(value)
  // Keys are whole bytes, so the rest after an odd nibble is copied byte by byte.
  const isOdd = (depth & 1) === 1
  const firstByte = (depth + 1) >> 1
  const pathLength = 1 + key.length - firstByte
  const head =
    valueLength === 1 ? singleHead(codec, value) : rlpListLength(valueLength) - valueLength
  const length = (pathLength === 1 ? 0 : 1) + pathLength + head + valueLength
  const needed = length + MAX_HEAD_LENGTH
  const target = needed <= input.length ? input : new Uint8Array(needed)
  let end = writeRlpHead(target, 0, RLP_LIST, length)
  if (pathLength > 1) end = writeRlpHead(target, end, RLP_STRING, pathLength)
  target[end++] = isOdd ? LEAF | ODD | nibbleAt(key, depth) : LEAF
  for (let index = firstByte; index < key.length; index++) target[end++] = key.charCodeAt(index)
  if (head > 0) end = writeRlpHead(target, end, RLP_STRING, valueLength)
  end = codec.write(value, target, end)
  return target === input ? end : target.subarray(0, end)
}

/** Length of the head in front of a value of one byte: a byte below 0x80 is its own encoding. */
function singleHead<Value>({ write }: TrieCodec<Value>, value: Value): number {
  write(value, single, 0)
  return (single[0] ?? 0) < RLP_STRING ? 0 : 1
}

const single = new Uint8Array(1)
