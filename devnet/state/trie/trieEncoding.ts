import {
  MAX_HEAD_LENGTH,
  RLP_LIST,
  RLP_STRING,
  rlpStringLength,
  writeRlpHead,
  writeRlpString,
} from '../../primitives/rlp.ts'
import type { Keccak256 } from '../types.ts'
import { Branch, type Children, Extension, type Leaf, type Node, nibbleAt } from './trieNodes.ts'

/** How a trie handles its values. */
export interface TrieValues<Value> {
  readonly keccak256: Keccak256
  /** The content of the leaf; may be valid only until the next call. */
  encode(value: Value): Uint8Array
  /** Whether both have the same encoding; `false` if unknown. */
  same(a: Value, b: Value): boolean
}

/** Nodes with shorter encodings are part of their parent. */
const HASH_LENGTH = 32

/** Flags of the compact path encoding (yellow paper, appendix C). */
const ODD = 0x10
const LEAF = 0x20

/**
 * Nodes are encoded here and hashed at once, so that no garbage is made. Long enough for all but
 * leaves with long values.
 */
const scratch = new Uint8Array(1024)
const scratchView = new DataView(scratch.buffer)

/**
 * Computes the reference to the node, unless it is known.
 *
 * @param depth - number of nibbles before it
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
  // One byte for the empty value. References come first, because computing them uses the array.
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
  // Keys are whole bytes, so after the odd nibble the rest is copied byte by byte.
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
